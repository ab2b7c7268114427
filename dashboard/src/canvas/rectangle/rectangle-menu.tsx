import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ComponentProps } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../controls/button.tsx';
import { Menu } from '../../controls/menu.tsx';
import { text } from '../../text/canvas-text.ts';
import type { Edit } from '../edit.ts';
import { type Rect, type Tool, toPercent } from '../plane.ts';
import { seenAt, type View } from '../stage/stage-view.ts';
import { parseRectangle, type RectangleText, rectangleFault } from './rectangle.ts';
import { RectangleFields } from './rectangle-fields.tsx';
import './rectangle-menu.css';

interface RectangleMenuProps
  extends Pick<ComponentProps<typeof Menu>, 'anchor' | 'role' | 'onClose'> {
  readonly edit: Edit;
  readonly frame: Signal<Rect | undefined>;
}

/** Adds or removes a rectangle that the user enters as numbers, without a pointer. */
export function RectangleMenu({ edit, frame, ...menu }: RectangleMenuProps) {
  const { source } = edit;
  const [typed, setTyped] = useState<RectangleText>(() => middleOf(source));
  const [done, setDone] = useState<Tool>();
  const fault = rectangleFault(typed, source);
  const rect = fault === undefined ? parseRectangle(typed) : undefined;
  useEffect(() => {
    frame.value = rect;
  });
  useEffect(
    () => () => {
      frame.value = undefined;
    },
    [frame],
  );

  function apply(how: Tool): void {
    if (rect === undefined) return;
    edit.rectangle(rect, how);
    setDone(how);
  }

  return (
    <Menu {...menu} class="rectangle-menu" placement="top" label={text('mask.rectangle.numbers')}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          apply('brush');
        }}
      >
        <RectangleFields
          id="rectangle"
          typed={typed}
          fault={fault}
          maxLength={5}
          onInput={(next) => {
            setTyped(next);
            setDone(undefined);
          }}
        />
        <Button type="submit" disabled={rect === undefined}>
          {text('mask.rectangle.add')}
        </Button>
        <Button look="quiet" disabled={rect === undefined} onClick={() => apply('eraser')}>
          {text('mask.rectangle.remove')}
        </Button>
        <p id="rectangle-note" class={fault ? 'bad' : 'hint'} role="status">
          {note(fault !== undefined, done, edit)}
        </p>
      </form>
    </Menu>
  );
}

function note(isBad: boolean, done: Tool | undefined, { source, share }: Edit): string {
  const { width, height } = source;
  if (isBad || done === undefined) {
    return text('mask.rectangle.within', { width: String(width), height: String(height) });
  }
  return text('mask.share', { percent: toPercent(share.value) });
}

/** Returns the initial rectangle, which is centred and half as wide and high as the image. */
function middleOf({ width, height }: Edit['source']): RectangleText {
  const quarter = (edge: number) => String(Math.floor(edge / 4));
  const half = (edge: number) => String(Math.max(1, Math.floor(edge / 2)));
  return { x: quarter(width), y: quarter(height), width: half(width), height: half(height) };
}

interface RectangleFrameProps {
  /** The rectangle that the user is typing, in pixels of the source. */
  readonly frame: ReadonlySignal<Rect | undefined>;
  /** Pixels of the plane per pixel of the source. */
  readonly scale: number;
  readonly view: ReadonlySignal<View>;
}

/** Renders the outline of the rectangle that the user is typing. */
export function RectangleFrame({ frame, scale, view }: RectangleFrameProps) {
  if (frame.value === undefined) return null;
  const { left, top, scale: zoom } = view.value;
  const { x, y, width, height } = seenAt(frame.value, { left, top, scale: zoom * scale });
  return (
    <i
      class="rectangle-frame"
      style={{
        inlineSize: `${width}px`,
        blockSize: `${height}px`,
        transform: `translate(${x}px, ${y}px)`,
      }}
    />
  );
}
