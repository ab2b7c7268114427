import { ArrowLeftRight, ChevronDown, ChevronUp, X } from 'lucide';
import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Family as FamilyReply } from '../../api/schemas.ts';
import { Button, IconButton } from '../../controls/button.tsx';
import { familyStrip } from '../../shell/preferences.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { text } from '../../text/job-text.ts';
import { useLook } from '../state/look-context.ts';
import { type FamilyLayout, layOut } from './family-layout.ts';
import { reach, type Spot, toTree } from './family-tree.ts';
import { FamilyPlace } from './place.tsx';
import { useRelatives } from './use-relatives.ts';
import './family.css';

interface FamilyProps {
  readonly id: string;
  readonly family: FamilyReply | undefined;
}

/** Shows from which images those of a job were made, and what was made of them. Renders nothing for a job without relatives. */
export function Family({ id, family }: FamilyProps) {
  const isFolded = familyStrip.value === 'folded';
  const { looking } = useLook();
  // True while the next press in the tree chooses the image to compare with.
  const [isChoosing, setChoosing] = useState(false);
  if (family === undefined || family.total.count < 2) return null;
  return (
    <section class="family" aria-labelledby="family-title">
      <header class="row">
        <h2 id="family-title">{text('family.title')}</h2>
        <span class="soft num cut grow" role="status">
          {isChoosing ? text('family.compare.choose') : sizeText(family)}
        </span>
        {!isFolded && <Keys />}
        {!isFolded && looking.b?.kind === 'output' && (
          <Button
            size="small"
            look="quiet"
            icon={isChoosing ? X : ArrowLeftRight}
            aria-pressed={isChoosing}
            onClick={() => setChoosing(!isChoosing)}
          >
            {text(isChoosing ? 'action.cancel' : 'family.compare')}
          </Button>
        )}
        <IconButton
          small
          icon={isFolded ? ChevronUp : ChevronDown}
          label={text(isFolded ? 'family.unfold' : 'family.fold')}
          aria-expanded={!isFolded}
          onClick={() => {
            familyStrip.value = isFolded ? 'open' : 'folded';
          }}
        />
      </header>
      {!isFolded && (
        <Tree id={id} family={family} isChoosing={isChoosing} onChosen={() => setChoosing(false)} />
      )}
    </section>
  );
}

const KEYS = [
  ['walk', 'T'],
  ['from', '←'],
  ['to', '→'],
  ['beside', '↑', '↓'],
  ['compare', 'A', 'B'],
] as const;

/** Names the keys of the tree. */
function Keys() {
  return (
    <span class="family-keys faint">
      {KEYS.map(([word, ...keys]) => (
        <Fragment key={word}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
          {text(`family.keys.${word}`)}
        </Fragment>
      ))}
    </span>
  );
}

function sizeText({ items, total }: FamilyReply): string {
  const images = items.reduce((sum, { artifacts }) => sum + artifacts.length, 0);
  return total.count > items.length
    ? text('family.part', { shown: items.length, jobs: total.count })
    : text('family.whole', { count: images, jobs: items.length });
}

interface TreeProps {
  readonly id: string;
  readonly family: FamilyReply;
  /** True if the next press chooses the image to compare with, instead of opening an image. */
  readonly isChoosing: boolean;
  readonly onChosen: () => void;
}

/** Renders the tree. One image of the tree can be reached with the Tab key, and the arrow keys move from there. */
function Tree({ id, family, isChoosing, onChosen }: TreeProps) {
  const element = useRef<HTMLDivElement>(null);
  const places = useMemo(() => toTree(family), [family]);
  const layout = useMemo(() => layOut(places, id), [places, id]);
  const relatives = useRelatives(id);
  const { looking } = useLook();
  const [focused, setFocused] = useState<Spot | undefined>(undefined);
  const here: Spot = { place: id, number: looking.b?.kind === 'output' ? looking.b.number : 1 };
  const stop = places.some((each) => each.id === focused?.place) ? (focused ?? here) : here;

  function focus({ place, number }: Spot): void {
    const name = `${place}.${number}`;
    const found = element.current?.querySelector<HTMLElement>(`[data-spot="${CSS.escape(name)}"]`);
    found?.focus();
    found?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      if (isChoosing) onChosen();
      else document.querySelector<HTMLElement>('.job-bar h1')?.focus();
    } else if (/^(Arrow|Home)/.test(event.key)) {
      event.preventDefault();
      const next = reach(places, stop, event.key);
      if (next) focus(next);
    }
  }

  function press(spot: Spot): void {
    if (isChoosing) {
      relatives.markA(spot);
      onChosen();
    } else {
      relatives.open(spot);
    }
  }

  const hasFocus = () => element.current?.contains(document.activeElement) === true;
  // The place of a job that ends is replaced by its images, and would lose the focus.
  const hadFocus = hasFocus();
  useLayoutEffect(() => {
    if (hadFocus && !hasFocus()) focus(stop);
  }, [family]);
  useLayoutEffect(() => {
    if (!hasFocus()) showJob(element.current, layout, id);
  }, [layout]);
  useShortcuts({
    t: () => focus(here),
    a: () => hasFocus() && relatives.markA(stop),
    b: () => hasFocus() && relatives.open(stop),
  });

  return (
    <div class="family-scroll scroll" ref={element} onKeyDown={onKeyDown}>
      <div
        class="family-tree"
        role="group"
        aria-label={text('family.tree')}
        dir="ltr"
        style={{ inlineSize: `${layout.width}px`, blockSize: `${layout.height}px` }}
      >
        <svg width={layout.width} height={layout.height} aria-hidden="true">
          {layout.lines.map(({ path, isStrong }) => (
            <path key={path} d={path} class={isStrong ? 'strong' : ''} />
          ))}
        </svg>
        {layout.boxes.map((box) => (
          <FamilyPlace
            key={box.place.id}
            box={box}
            isHere={box.place.id === id}
            stop={stop}
            sideOf={relatives.sideOf}
            onOpen={press}
            onFocus={setFocused}
          />
        ))}
      </div>
    </div>
  );
}

/** Scrolls a tree that is larger than its area, so that the job in view is seen. The page itself does not scroll. */
function showJob(area: HTMLElement | null, { boxes }: FamilyLayout, id: string): void {
  const box = boxes.find(({ place }) => place.id === id);
  if (box === undefined || area === null) return;
  area.scrollTo({
    left: box.left - Math.max(0, area.clientWidth - box.width) / 2,
    top: box.top - area.clientHeight / 3,
  });
}
