import type { ImageFault } from '../image.ts';

/** Facts about an image from its container, known before its pixels are decoded. */
export interface ContainerFacts {
  /** Width in pixels as stored, before the rotation by EXIF. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation, 1 to 8. It is 1 if the image has no orientation. */
  readonly orientation: number;
  readonly hasAlpha: boolean;
  /** True for a JPEG with four colour channels and no alpha. */
  readonly isCmyk: boolean;
  /** True for a PNG with 16 bits a channel and a colour profile. */
  readonly hasDeepProfile: boolean;
  /** Compressed texts and profiles as raw deflate streams. They are inflated later, off the main thread. */
  readonly deflated: readonly Buffer[];
}

export type ContainerVerdict =
  | { readonly ok: true; readonly facts: ContainerFacts }
  | { readonly ok: false; readonly fault: ImageFault };

export function refused(fault: ImageFault): { readonly ok: false; readonly fault: ImageFault } {
  return { ok: false, fault };
}
