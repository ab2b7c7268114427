import { ChevronDown, ChevronUp } from 'lucide';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Family as FamilyReply } from '../../api/schemas.ts';
import { IconButton } from '../../controls/button.tsx';
import { familyStrip } from '../../shell/preferences.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { text } from '../../text/text.ts';
import { useLook } from '../state/look-context.ts';
import { layOut } from './family-layout.ts';
import { reach, type Spot, toTree } from './family-tree.ts';
import { FamilyPlace } from './place.tsx';
import { useFamily } from './use-family.ts';
import { useRelatives } from './use-relatives.ts';
import './family.css';

/** Shows from which images those of a job were made, and what was made of them. Renders nothing for a job without relatives. */
export function Family({ id }: { readonly id: string }) {
  const family = useFamily(id);
  const isFolded = familyStrip.value === 'folded';
  if (family === undefined || family.total.count < 2) return null;
  return (
    <section class="family" aria-labelledby="family-title">
      <header class="row">
        <h2 id="family-title">{text('family.title')}</h2>
        <span class="soft num cut">{sizeText(family)}</span>
        <i class="grow" />
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
      {!isFolded && <Tree id={id} family={family} />}
    </section>
  );
}

function sizeText({ items, total }: FamilyReply): string {
  const images = items.reduce((sum, { artifacts }) => sum + artifacts.length, 0);
  return total.count > items.length
    ? text('family.part', { shown: items.length, jobs: total.count })
    : text('family.whole', { count: images, jobs: items.length });
}

/** Renders the tree. One image of the tree can be reached with the Tab key, and the arrow keys move from there. */
function Tree({ id, family }: { readonly id: string; readonly family: FamilyReply }) {
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
      document.querySelector<HTMLElement>('.job-bar h1')?.focus();
    } else if (/^(Arrow|Home)/.test(event.key)) {
      event.preventDefault();
      const next = reach(places, stop, event.key);
      if (next) focus(next);
    }
  }

  const hasFocus = () => element.current?.contains(document.activeElement) === true;
  // The place of a job that ends is replaced by its images, and would lose the focus.
  const hadFocus = hasFocus();
  useLayoutEffect(() => {
    if (hadFocus && !hasFocus()) focus(stop);
  }, [family]);
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
            onOpen={relatives.open}
            onFocus={setFocused}
          />
        ))}
      </div>
    </div>
  );
}
