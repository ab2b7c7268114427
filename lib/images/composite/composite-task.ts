import type { Pixels } from '../image.ts';

/** Two images of the same edges and what is taken of the second. */
export interface CompositeTask extends Pick<Pixels, 'width' | 'height' | 'channels'> {
  /** The source: 8-bit sRGB, rows from the top, alpha not premultiplied. Changed in this buffer. */
  readonly kept: ArrayBuffer;
  /** The image that a model drew, as `kept` is. */
  readonly drawn: ArrayBuffer;
  /** One byte for each pixel: with 255 the source stays, with 0 the drawn image takes its place. */
  readonly alpha: ArrayBuffer;
  /** One 32-bit integer: any value but 0 ends the work early. */
  readonly stop: SharedArrayBuffer;
}
