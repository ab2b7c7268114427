import canvas from './canvas.json';
import { fill, text as pageText, type TextKey, type TextValues } from './text.ts';

export type CanvasKey = keyof typeof canvas;

/** Returns a text of the canvas or of the whole page, like `text`. The texts of the canvas are loaded with the canvas. */
export function text(key: TextKey | CanvasKey, values?: TextValues): string {
  return isOfCanvas(key) ? fill(canvas[key], values) : pageText(key, values);
}

function isOfCanvas(key: TextKey | CanvasKey): key is CanvasKey {
  return Object.hasOwn(canvas, key);
}
