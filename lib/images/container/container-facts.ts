import type { ImageFault } from '../image.ts';

/** What is known of an image from its container, without decoding it. */
export interface ContainerFacts {
  /** As stored, in pixels. */
  readonly width: number;
  readonly height: number;
  /** The EXIF orientation, 1 to 8; 1 when there is none. */
  readonly orientation: number;
  readonly hasAlpha: boolean;
  /** Four colour channels, none of them alpha; only in JPEG. */
  readonly isCmyk: boolean;
  /** 16 bits a channel, and a colour profile; only in PNG. */
  readonly hasDeepProfile: boolean;
  /** Its compressed texts and profiles as raw deflate streams. They are inflated later, off the main thread. */
  readonly deflated: readonly Buffer[];
}

export type ContainerVerdict =
  | { readonly ok: true; readonly facts: ContainerFacts }
  | { readonly ok: false; readonly fault: ImageFault };

export function refused(fault: ImageFault): { readonly ok: false; readonly fault: ImageFault } {
  return { ok: false, fault };
}
