import { ArrowUp, type IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Button, Icon } from '../controls/button.tsx';
import { Stepper } from '../controls/inputs.tsx';
import { usePage } from '../page-context.ts';
import { isHome } from '../router.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { text } from '../text/text.ts';
import { openPrompt } from './open-prompt.ts';

interface Sending {
  /** The name of the button that sends. */
  readonly send: string;
  readonly canSend: boolean;
  readonly onSend: () => void;
}

interface GoProps extends Sending {
  /** The numbers of images that one request can have. */
  readonly limits?: { readonly min: number; readonly max: number } | undefined;
}

/** Chooses the number of images, and sends the draft by the button or its key. */
export function MakeGo({ send, canSend, onSend, limits = { min: 1, max: 255 } }: GoProps) {
  const { draft, router } = usePage();
  // A view above the panel hides the draft.
  useShortcuts({ '$mod+Enter': onSend }, isHome(router.route.value));
  return (
    <div class="make-go">
      <Stepper
        label={text('make.count')}
        fewer={text('make.count.fewer')}
        more={text('make.count.more')}
        value={draft.settings.value.parameters?.n ?? 1}
        min={limits.min}
        max={limits.max}
        onChange={(n) => draft.set('parameters', { n: n === 1 ? undefined : n })}
      />
      <Button class="grow" look="primary" size="big" disabled={!canSend} onClick={onSend}>
        {send}
        <kbd class="only-wide">{submitKey()}</kbd>
      </Button>
    </div>
  );
}

/** Returns the name of the key that sends. */
export function submitKey(): string {
  return text(isApple() ? 'make.submit.key.apple' : 'make.submit.key');
}

function isApple(): boolean {
  return /Mac|iP(hone|ad)/.test(navigator.userAgent);
}

interface DockProps extends Sending {
  readonly icon: IconNode;
  readonly line: string;
  /** True if the line is a placeholder for a prompt that is not written yet. */
  readonly isFaint?: boolean;
  /** The cost of what would be sent, or the reason why nothing can be sent. */
  readonly children?: ComponentChildren;
}

const COST_ID = 'dock-cost';

/** Shows what would be sent, and its cost, while the panel is hidden. A press on the text opens the panel. */
export function MakeDock(props: DockProps) {
  const { icon, line, isFaint = false, children, send, canSend, onSend } = props;
  const { router } = usePage();
  return (
    <div class="dock float row">
      <button type="button" class="open row grow" onClick={() => openPrompt(router)}>
        <Icon of={icon} />
        <span class="says">
          <span class={isFaint ? 'cut faint' : 'cut'}>{line}</span>
          {children && (
            <small id={COST_ID} class="clamp num">
              {children}
            </small>
          )}
        </span>
      </button>
      <button
        type="button"
        class="go middle edged"
        aria-label={send}
        aria-describedby={children ? COST_ID : undefined}
        disabled={!canSend}
        onClick={onSend}
      >
        <Icon of={ArrowUp} />
      </button>
    </div>
  );
}
