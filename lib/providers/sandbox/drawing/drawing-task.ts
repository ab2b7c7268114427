/** Decoded pixels in memory that threads share, so that several drawings can use the same image. */
export interface SharedPixels {
  readonly data: SharedArrayBuffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

/** The area behind the subject: a whole image, nothing, or one flat colour (three bytes). */
export type Ground = 'image' | 'transparent' | { readonly key: readonly [number, number, number] };

/** One image to draw. The same task produces the same pixels. */
export interface DrawingTask {
  readonly width: number;
  readonly height: number;
  /** Hexadecimal seed that selects the composition and the mood. */
  readonly promptSeed: string;
  /** Hexadecimal seed that selects the layout and the differences between images of one prompt. */
  readonly outputSeed: string;
  /** Hexadecimal seed of the negative prompt, whose mood is avoided. */
  readonly awaySeed?: string;
  /** Amount of fine structure: 0 (little) to 2 (all). */
  readonly detail: number;
  readonly ground: Ground;
  /** The source, which has the size of the drawing. `strength` (0 to 1) is the maximum difference from the source. */
  readonly source?: { readonly pixels: SharedPixels; readonly strength: number };
  /** The mask, which has the size of the drawing: pixels with alpha 0 may change, pixels with alpha 255 must not. */
  readonly mask?: SharedPixels;
  readonly references: readonly SharedPixels[];
  /** Number of requested smaller previews. */
  readonly previews: number;
  /** One 32-bit integer. Any value except 0 ends the drawing early. */
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
  /** Ordered from the coarsest to the finest. */
  readonly previews: readonly RawImage[];
}
