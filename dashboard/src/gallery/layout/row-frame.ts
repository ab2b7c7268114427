import type { Frame } from './row-layout.ts';

/** From a window's width on: the height of a row and the gap between cards, in CSS pixels. */
const STEPS = [
  { from: 3000, rowHeight: 320, gap: 8 },
  { from: 1920, rowHeight: 236, gap: 8 },
  { from: 900, rowHeight: 190, gap: 6 },
  { from: 600, rowHeight: 168, gap: 6 },
  { from: 0, rowHeight: 128, gap: 4 },
] as const;

export const HEADING = 38;

/** The frame of the rows for a window. `scale` is what a person chose; narrow screens have no choice. */
export function rowFrame(windowWidth: number, width: number, scale: number): Frame {
  const { rowHeight, gap } = STEPS.find(({ from }) => windowWidth >= from) ?? STEPS[4];
  const factor = windowWidth >= 900 ? scale : 1;
  return { width, rowHeight: Math.round(rowHeight * factor), gap, heading: HEADING };
}
