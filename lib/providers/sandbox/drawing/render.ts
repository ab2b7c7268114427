import { type Frame, frameOf, type RowShader, type Scene } from './composition.ts';
import type { Drawing, DrawingTask, Ground, SharedPixels } from './drawing-task.ts';
import { createFinish } from './grain.ts';
import { paletteOfImages } from './image-palette.ts';
import { type Look, lookOf } from './look.ts';
import { keepMasked, openSquare } from './mask.ts';
import { withMedallions } from './medallions.ts';
import { type Palette, paletteOf } from './palette.ts';
import { previewsOf } from './previews.ts';
import { createPrng } from './prng.ts';
import { restyle } from './restyle.ts';
import { createSilhouette, middleOf } from './silhouette.ts';
import { createSubject, type Subject, writeAlpha, writeOnKey } from './subject.ts';

/** Number of rows between two checks of the stop flag. */
const ROWS_AT_ONCE = 16;

/** Draws the image, or returns undefined if the task was stopped. The same task produces the same bytes. */
export function render(task: DrawingTask): Drawing | undefined {
  const stop = new Int32Array(task.stop);
  if (Atomics.load(stop, 0) !== 0) return undefined;
  const { width, height, ground, source } = task;
  const isHoled = source !== undefined && hasHoles(source.pixels);
  const cutout = cutoutOf(task, isHoled);
  const channels = ground === 'transparent' || (ground === 'image' && isHoled) ? 4 : 3;
  const bytes = new Uint8Array(width * height * channels);
  const drawRow = createRows(task, cutout, bytes, channels);
  for (let y = 0; y < height; y += 1) {
    if (y % ROWS_AT_ONCE === 0 && Atomics.load(stop, 0) !== 0) return undefined;
    drawRow(y);
  }
  const image = { data: bytes.buffer, width, height, channels } as const;
  return { image, previews: previewsOf(image, task.previews) };
}

/** The limit of the drawn area: nothing, the alpha of the source, or a shape chosen by the prompt. */
type Cutout = 'none' | 'source' | 'shape';

function cutoutOf({ ground, mask }: DrawingTask, isHoled: boolean): Cutout {
  // With a mask, holes of the source are filled where the mask allows changes. Elsewhere the source is kept anyway.
  if (isHoled && !mask) return 'source';
  return ground === 'image' ? 'none' : 'shape';
}

/** Returns a function that draws one row into `bytes`. Rows must be drawn in order. */
function createRows(
  task: DrawingTask,
  cutout: Cutout,
  bytes: Uint8Array,
  channels: 3 | 4,
): (y: number) => void {
  const { width, ground, source, mask } = task;
  const frame = frameOf(width, task.height);
  const random = createPrng(task.outputSeed);
  const look = lookOf(task.promptSeed, task.awaySeed);
  const palette = paletteFor(look, task);
  const scene: Scene = { frame, palette, random, detail: task.detail };
  const shade = withMedallions(colorsOf(scene, look, task), frame, palette, task.references);
  const finish = createFinish(frame, random.bits(), 0.8 + 0.2 * task.detail);
  const subject = cutout === 'shape' ? shapeOf(task, frame) : undefined;
  const colors = new Float32Array(width * 3);
  const cover = new Float32Array(width).fill(1);
  return (y) => {
    const at = y * width * channels;
    shade(y, colors);
    subject?.row(y, colors, cover);
    if (source && cutout === 'source') readAlpha(y, source.pixels, cover);
    finish.row(y, colors, bytes, at, channels);
    if (typeof ground === 'object') writeOnKey(cover, ground.key, bytes, at);
    else if (channels === 4) writeAlpha(cover, bytes, at);
    if (source && mask) keepMasked(y, source.pixels, mask, bytes, channels);
  };
}

/** Returns the image of the prompt, or the source restyled with that image. */
function colorsOf(scene: Scene, { composition }: Look, { source }: DrawingTask): RowShader {
  const image = composition.shader(scene);
  return source ? restyle(scene, source.pixels, source.strength, image) : image;
}

function paletteFor({ mood }: Look, { outputSeed, references }: DrawingTask): Palette {
  return references.length > 0
    ? paletteOfImages(references)
    : paletteOf(mood, createPrng(`${outputSeed}1`));
}

function shapeOf({ promptSeed, ground, source, mask }: DrawingTask, frame: Frame): Subject {
  const middle = middleOf(frame);
  const square = mask
    ? openSquare(mask, frame)
    : source
      ? { ...middle, size: middle.size * 1.25 }
      : middle;
  const silhouette = createSilhouette(createPrng(`${promptSeed}2`), square);
  return createSubject(frame, silhouette, source ? undefined : brightnessOn(ground));
}

/** On a light key colour the subject is darker because it must differ from its background. */
function brightnessOn(ground: Ground): number {
  return typeof ground === 'object' && Math.min(...ground.key) > 110 ? 0.56 : 1;
}

function hasHoles({ data, channels }: SharedPixels): boolean {
  if (channels === 3) return false;
  const bytes = new Uint8Array(data);
  for (let at = 3; at < bytes.length; at += 4) {
    if (bytes[at] !== 255) return true;
  }
  return false;
}

function readAlpha(y: number, { data, width }: SharedPixels, cover: Float32Array): void {
  const bytes = new Uint8Array(data, y * width * 4, width * 4);
  for (let x = 0; x < width; x += 1) cover[x] = (bytes[x * 4 + 3] ?? 255) / 255;
}
