import type { Size } from '../images/size.ts';

/** A task for the worker. */
export type MaskTask =
  | { readonly kind: 'open'; readonly image: Blob; readonly mask: Blob | undefined }
  | {
      readonly kind: 'write';
      readonly pixels: Readonly<Uint8Array<ArrayBuffer>>;
      readonly plane: Size;
      readonly size: Size;
    };

/** An image that is ready to be masked. */
export interface OpenedImage {
  /** The size of the image itself, rotated upright. */
  readonly size: Size;
  /** The image in the size of the plane. */
  readonly bitmap: ImageBitmap;
  /** The area that may change, if the image already has a mask. */
  readonly pixels: Uint8Array<ArrayBuffer> | undefined;
}

export type MaskReply =
  | { readonly kind: 'opened'; readonly opened: OpenedImage }
  | { readonly kind: 'written'; readonly mask: Blob };
