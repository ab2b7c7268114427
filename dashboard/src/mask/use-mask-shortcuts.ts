import { useShortcuts } from '../shell/shortcuts.ts';
import type { Painting } from './painting.ts';
import type { StageZoom } from './stage/stage-zoom.ts';

/** CSS pixels that an arrow moves what is seen. */
const PAN = 80;

export function useMaskShortcuts(painting: Painting, zoom: StageZoom): void {
  const { undo, redo } = painting;
  const pan = (right: number, down: number) => (event: KeyboardEvent) => {
    // Arrows move the choice in a group of buttons, too.
    if (event.target instanceof Element && event.target.closest('[role="radiogroup"]')) return;
    zoom.pan(right * PAN, down * PAN);
  };
  useShortcuts(
    {
      b: () => painting.brush.choose('brush'),
      e: () => painting.brush.choose('eraser'),
      '(\\[)': () => painting.brush.step(-1),
      '(\\])': () => painting.brush.step(1),
      i: painting.invert,
      z: undo,
      '$mod+z': (event) => prevented(event, undo),
      '$mod+Shift+z': (event) => prevented(event, redo),
      '$mod+y': (event) => prevented(event, redo),
      '(\\+|=)': zoom.nearer,
      '-': zoom.farther,
      '0': zoom.fit,
      ArrowLeft: pan(-1, 0),
      ArrowRight: pan(1, 0),
      ArrowUp: pan(0, -1),
      ArrowDown: pan(0, 1),
    },
    true,
    'dialog',
  );
}

function prevented(event: KeyboardEvent, run: () => void): void {
  event.preventDefault();
  run();
}
