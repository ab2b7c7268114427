import { Image as ImageIcon, PanelLeftClose, RotateCcw, Trophy, X } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import { Button, IconButton } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { racePath } from '../race/race-state.ts';
import { lazyView } from '../shell/lazy-view.tsx';
import { togglePanel } from '../shell/preferences.ts';
import { text } from '../text/text.ts';
import { mayCreate } from '../usage/usage.ts';
import { Groups } from './groups/groups.tsx';
import { keepDraft } from './keep-draft.ts';
import { MakeFoot } from './make-foot.tsx';
import { ModelPicker } from './model-picker.tsx';
import { PresetsMenu } from './presets/presets-menu.tsx';
import { PromptBox } from './prompt-box.tsx';
import { SizePicker } from './size/size-picker.tsx';
import './make-panel.css';

const RaceExpansion = lazyView(
  async () => (await import('../race/panel/race-panel.tsx')).RaceExpansion,
);
const RaceModels = lazyView(async () => (await import('../race/panel/race-models.tsx')).RaceModels);
const RaceFoot = lazyView(async () => (await import('../race/panel/race-panel.tsx')).RaceFoot);

/** Renders the panel for a new image or a new race. On narrow screens, the panel is a sheet with its own history entry. */
export function MakePanel({ isRace }: { readonly isRace: boolean }) {
  const { router } = usePage();
  // The sheet stays open under the canvas, because the canvas is opened from the sheet.
  const { value: layer } = router.layer;
  const isSheet = layer !== undefined && layer !== 'queue';
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isSheet || router.layer.peek() !== 'make') return;
    const before = document.activeElement;
    panel.current?.querySelector('textarea')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [isSheet, router]);
  const isModal = router.layer.value === 'make';
  return (
    <div
      ref={panel}
      id="make"
      class="make-panel stack"
      data-open={isSheet}
      aria-label={text(isRace ? 'race' : 'make.title')}
      role={isModal ? 'dialog' : 'complementary'}
      {...(isModal && { 'aria-modal': true })}
      onKeyDown={(event) => {
        if (!isModal || event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        void router.back();
      }}
    >
      <MakeHead isRace={isRace} />
      <div class="make-body scroll">
        <div class="make-main stack">
          <PromptBox placeholder={text(isRace ? 'race.prompt' : 'make.prompt.placeholder')}>
            {isRace && <RaceExpansion />}
          </PromptBox>
          {isRace && <RaceModels />}
          <SizePicker />
          {!isRace && <ModelPicker />}
        </div>
        <div class="make-groups">
          <Groups />
        </div>
      </div>
      {isRace ? <RaceFoot /> : <MakeFoot />}
    </div>
  );
}

function MakeHead({ isRace }: { readonly isRace: boolean }) {
  const page = usePage();
  const { draft, router, undo, usage, connection } = page;
  const { value: caller } = connection.caller;
  useEffect(() => {
    // The race is offered only if the permissions allow it.
    if (caller?.isAccepted && usage.latest.peek() === undefined) void usage.read();
  }, [usage, caller]);

  function clear(): void {
    const restore = keepDraft(page);
    draft.clear();
    undo.offer(text('make.cleared'), restore);
  }

  function toggleRace(): void {
    const isSheet = router.layer.peek() === 'make';
    router.navigate(isRace ? '' : racePath());
    // The race is written in the sheet, too.
    if (isSheet) router.openLayer('make');
  }

  return (
    <div class="make-head row">
      <h2 class="title grow">{text(isRace ? 'race' : 'make.title')}</h2>
      {(isRace || mayCreate(usage.latest.value)) && (
        <Button look="quiet" size="small" icon={isRace ? ImageIcon : Trophy} onClick={toggleRace}>
          {text(isRace ? 'race.leave' : 'race')}
        </Button>
      )}
      <PresetsMenu />
      <IconButton small icon={RotateCcw} label={text('make.clear')} onClick={clear} />
      <IconButton
        small
        icon={PanelLeftClose}
        class="only-wide"
        label={text('make.fold')}
        onClick={togglePanel}
      />
      <IconButton
        small
        icon={X}
        class="only-narrow"
        label={text('action.close')}
        onClick={() => router.back()}
      />
    </div>
  );
}
