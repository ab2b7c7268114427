import type { Size } from '../images/size.ts';

/** What the worker is asked for. */
export type MaskTask =
  | { readonly kind: 'open'; readonly image: Blob; readonly mask: Blob | undefined }
  | {
      readonly kind: 'write';
      readonly pixels: Readonly<Uint8Array<ArrayBuffer>>;
      readonly plane: Size;
      readonly size: Size;
    };

/** An image that is ready to be painted on. */
export interface OpenedImage {
  /** Its own size, turned upright. */
  readonly size: Size;
  /** In the size of the plane. */
  readonly bitmap: ImageBitmap;
  /** What of it may change by the mask that it has. */
  readonly pixels: Uint8Array<ArrayBuffer> | undefined;
}

export type MaskReply =
  | { readonly kind: 'opened'; readonly opened: OpenedImage }
  | { readonly kind: 'written'; readonly mask: Blob };
