import canvas from './canvas.json';
import { withOwnTexts } from './own-texts.ts';

export type CanvasKey = keyof typeof canvas;

/** Returns a text of the canvas or of the whole page, like `text`. The texts of the canvas are loaded with the canvas. */
export const text = withOwnTexts<CanvasKey>(canvas);
