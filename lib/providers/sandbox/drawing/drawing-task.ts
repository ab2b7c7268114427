/** Decoded pixels in memory that threads share: several drawings start from the same image. */
export interface SharedPixels {
  readonly data: SharedArrayBuffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

/** What is behind the subject: a whole image, nothing, or one flat colour (three bytes). */
export type Ground = 'image' | 'transparent' | { readonly key: readonly [number, number, number] };

/** One image to draw. The same task gives the same pixels. */
export interface DrawingTask {
  readonly width: number;
  readonly height: number;
  /** Hexadecimal: selects the composition and the mood. */
  readonly promptSeed: string;
  /** Hexadecimal: selects the layout and the differences between images of one prompt. */
  readonly outputSeed: string;
  /** Hexadecimal: of the negative prompt, whose mood is avoided. */
  readonly awaySeed?: string;
  /** 0 (little) to 2 (all). */
  readonly detail: number;
  readonly ground: Ground;
  /** Has the size of the drawing; `strength` 0..1 says how much the drawing may differ from it. */
  readonly source?: { readonly pixels: SharedPixels; readonly strength: number };
  /** Has the size of the drawing: alpha 0 may change, 255 must not. */
  readonly mask?: SharedPixels;
  readonly references: readonly SharedPixels[];
  /** How many smaller previews are requested. */
  readonly previews: number;
  /** One 32-bit integer: any value but 0 ends the drawing early. */
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
