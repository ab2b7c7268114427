import { runWorker, type Size } from '../images/measure-image.ts';
import type { Plane } from './plane.ts';

/** Decodes an image, and its mask if it has one. Throws if the browser cannot decode them. */
export async function openImage(image: Blob, mask: Blob | undefined): Promise<OpenedImage> {
  const reply = await run({ kind: 'open', image, mask });
  if (reply?.kind !== 'opened') throw new Error('the image cannot be decoded');
  return reply.opened;
}

/**
 * Returns the mask as PNG, in the size of the source: transparent where the image may change, black elsewhere. Throws
 * if memory is insufficient.
 */
export async function writeMask({ pixels, width, height }: Plane, size: Size): Promise<Blob> {
  const reply = await run({ kind: 'write', pixels, plane: { width, height }, size });
  if (reply?.kind !== 'written') throw new Error('the mask cannot be encoded');
  return reply.mask;
}

/** Runs a task in a worker of its own, whose memory is released when the task ends. */
function run(task: MaskTask): Promise<MaskReply | undefined> {
  const worker = new Worker(new URL('./mask-worker.ts', import.meta.url), { type: 'module' });
  return runWorker(worker, task);
}

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
