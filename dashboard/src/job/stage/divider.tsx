import type { Signal } from '@preact/signals';
import { ChevronsLeftRight } from 'lucide';
import { Icon } from '../../controls/icon.tsx';
import { text } from '../../text/text.ts';
import type { Rect } from './geometry.ts';
import './divider.css';

interface Props {
  /** 0..100, from the left. */
  readonly share: Signal<number>;
  /** Where it can go: what is seen of the images, in CSS pixels of the pane. */
  readonly place: Rect;
}

const KEYS: Readonly<Record<string, (share: number) => number>> = {
  ArrowLeft: (share) => share - 1,
  ArrowDown: (share) => share - 1,
  ArrowRight: (share) => share + 1,
  ArrowUp: (share) => share + 1,
  PageDown: (share) => share - 10,
  PageUp: (share) => share + 10,
  Home: () => 0,
  End: () => 100,
};

/** The line between two images, moved by pointer and by arrows. */
export function Divider({ share, place }: Props) {
  const { left, top, width, height } = place;

  function move(to: number): void {
    share.value = Math.min(100, Math.max(0, to));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = KEYS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(step(Math.round(share.peek())));
  }

  function onPointerMove(event: PointerEvent & { readonly currentTarget: HTMLElement }): void {
    const { currentTarget } = event;
    const pane = currentTarget.parentElement;
    if (pane === null || !currentTarget.hasPointerCapture(event.pointerId)) return;
    const at = event.clientX - pane.getBoundingClientRect().left - left;
    move((at / Math.max(1, width)) * 100);
  }

  return (
    <div
      class="divider"
      role="slider"
      tabIndex={0}
      aria-label={text('job.divide')}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share.value)}
      style={{
        insetInlineStart: `${left + (width * share.value) / 100}px`,
        insetBlockStart: `${top}px`,
        blockSize: `${height}px`,
      }}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
    >
      <span>
        <Icon of={ChevronsLeftRight} />
      </span>
    </div>
  );
}
