/** Decoded pixels in memory that threads share: several drawings start from the same image. */
export interface SharedPixels {
  readonly data: SharedArrayBuffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

/** What lies behind the subject: a whole image, nothing, or one flat colour (three bytes). */
export type Ground = 'image' | 'transparent' | { readonly key: readonly [number, number, number] };

/** One image to draw: all that decides its pixels, and nothing else. */
export interface DrawingTask {
  readonly width: number;
  readonly height: number;
  /** Hexadecimal: what kind of image it becomes, and its mood. */
  readonly promptSeed: string;
  /** Hexadecimal: its layout and the small differences between several images of one prompt. */
  readonly outputSeed: string;
  /** Hexadecimal: of what the image should not be like. */
  readonly awaySeed?: string;
  /** 0 (little) to 2 (all). */
  readonly detail: number;
  readonly ground: Ground;
  /** Has the size of the drawing; `strength` says how far the drawing may go away from it, 0..1. */
  readonly source?: { readonly pixels: SharedPixels; readonly strength: number };
  /** Has the size of the drawing: alpha 0 may change, 255 must not. */
  readonly mask?: SharedPixels;
  readonly references: readonly SharedPixels[];
  /** How many smaller stages of the drawing are wanted as well. */
  readonly previews: number;
  /** One 32-bit integer: anything but 0 ends the drawing early. */
  readonly stop: SharedArrayBuffer;
}

/** Raw 8-bit sRGB, rows from the top, alpha not premultiplied. */
export interface RawImage {
  readonly data: ArrayBuffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

export interface Drawing {
  readonly image: RawImage;
  /** From the coarsest to the finest. */
  readonly previews: readonly RawImage[];
}
