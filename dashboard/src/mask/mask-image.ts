import { runWorker } from '../images/run-worker.ts';
import type { Size } from '../images/size.ts';
import type { MaskReply, MaskTask, OpenedImage } from './mask-task.ts';
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

/** Each task has its own worker, whose memory is released when the task ends. */
function run(task: MaskTask): Promise<MaskReply | undefined> {
  const worker = new Worker(new URL('./mask-worker.ts', import.meta.url), { type: 'module' });
  return runWorker(worker, task);
}
