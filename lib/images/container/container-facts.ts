import type { ImageFault } from '../image.ts';

/** What a container tells about its image without decoding it. */
export interface ContainerFacts {
  /** As stored, in pixels. */
  readonly width: number;
  readonly height: number;
  /** The EXIF orientation, 1 to 8; 1 when there is none. */
  readonly orientation: number;
  readonly hasAlpha: boolean;
  /** Four colours, of which none is alpha; only JPEG has that. */
  readonly isCmyk: boolean;
  /** 16 bits a colour, and a profile to read them by; only PNG has that. */
  readonly hasDeepProfile: boolean;
  /** Its compressed texts and profiles, as raw deflate streams: they are inflated off the main thread. */
  readonly deflated: readonly Buffer[];
}

export type ContainerVerdict =
  | { readonly ok: true; readonly facts: ContainerFacts }
  | { readonly ok: false; readonly fault: ImageFault };

export function refused(fault: ImageFault): { readonly ok: false; readonly fault: ImageFault } {
  return { ok: false, fault };
}
