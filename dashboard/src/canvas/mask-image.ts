import { runWorker, type Size } from '../images/measure-image.ts';
import type { CanvasArea } from './canvas-area.ts';
import type { EdgeTask } from './make-edge.ts';
import { hasEdge, type MaskEdge } from './mask-edge.ts';
import type { Plane } from './plane.ts';

/** Decodes an image, and its mask if there is one. Throws if the browser cannot decode the image or the mask. */
export async function openImage(image: Blob, mask: Blob | undefined): Promise<OpenedImage> {
  const reply = await run({ kind: 'open', image, mask });
  if (reply?.kind !== 'opened') throw new Error('the image cannot be decoded');
  return reply.opened;
}

/** Resolves with the pixels of a plane of this size, where 255 means that the image may change. Throws if the mask is damaged. */
export async function readMask(
  mask: Blob,
  { width, height }: Size,
): Promise<Uint8Array<ArrayBuffer>> {
  const reply = await run({ kind: 'read', mask, plane: { width, height } });
  if (reply?.kind !== 'read') throw new Error('the mask cannot be decoded');
  return reply.pixels;
}

/** Resolves with the mask as a PNG of the same size as the source. The PNG is transparent where the image may change. */
export async function writeMask({ pixels, width, height }: Plane, size: Size): Promise<Blob> {
  const reply = await run({ kind: 'write', pixels, plane: { width, height }, size });
  if (reply?.kind !== 'written') throw new Error('the mask cannot be encoded');
  return reply.mask;
}

/** A mask as it was painted, and the edit that it belongs to. */
export interface PaintedMask extends MaskEdge {
  readonly mask: Blob;
  /** The size of the source, which is the size of the painted mask. */
  readonly source: Size;
  /** The rectangle of the result. Undefined if the result is the whole image. */
  readonly area: CanvasArea | undefined;
}

/**
 * Resolves with the mask to send: grown, feathered and placed on the canvas. The part of the canvas beyond the image may change.
 */
export async function toSentMask({
  mask,
  source,
  area,
  feather,
  grow,
}: PaintedMask): Promise<Blob> {
  if (area === undefined && !hasEdge({ feather, grow })) return mask;
  const reply = await run({ kind: 'compose', painted: { mask, source, area, feather, grow } });
  if (reply?.kind !== 'written') throw new Error('the mask cannot be encoded');
  return reply.mask;
}

/** Runs a task in a new worker. The memory of the worker is released when the task ends. */
function run(task: MaskTask): Promise<MaskReply | undefined> {
  return runWorker(openMaskWorker(), task);
}

export function openMaskWorker(): Worker {
  return new Worker(new URL('./mask-worker.ts', import.meta.url), { type: 'module' });
}

/** A task for the worker. */
export type MaskTask =
  | { readonly kind: 'open'; readonly image: Blob; readonly mask: Blob | undefined }
  | { readonly kind: 'read'; readonly mask: Blob; readonly plane: Size }
  | {
      readonly kind: 'write';
      readonly pixels: Readonly<Uint8Array<ArrayBuffer>>;
      readonly plane: Size;
      readonly size: Size;
    }
  | { readonly kind: 'compose'; readonly painted: PaintedMask }
  | { readonly kind: 'edge'; readonly task: EdgeTask };

/** An image that is ready for painting its mask. */
export interface OpenedImage {
  /** The size of the image after its EXIF rotation, in pixels. */
  readonly size: Size;
  /** The image, scaled to the size of the plane. */
  readonly bitmap: ImageBitmap;
  /** The pixels of the plane, where 255 means that the image may change. Undefined if the image has no mask yet. */
  readonly pixels: Uint8Array<ArrayBuffer> | undefined;
}

export type MaskReply =
  | { readonly kind: 'opened'; readonly opened: OpenedImage }
  | { readonly kind: 'read'; readonly pixels: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'written'; readonly mask: Blob }
  | { readonly kind: 'edge'; readonly pixels: Uint8Array<ArrayBuffer> };
