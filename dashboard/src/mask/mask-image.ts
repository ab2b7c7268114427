import { runWorker } from '../images/run-worker.ts';
import type { Size } from '../images/size.ts';
import type { MaskReply, MaskTask, OpenedImage } from './mask-task.ts';
import type { Plane } from './plane.ts';

/** Decodes an image, and the mask that it has. Throws when the browser cannot. */
export async function openImage(image: Blob, mask: Blob | undefined): Promise<OpenedImage> {
  const reply = await run({ kind: 'open', image, mask });
  if (reply?.kind !== 'opened') throw new Error('the image cannot be decoded');
  return reply.opened;
}

/** The mask as PNG: of the source's size, transparent where it may change, black elsewhere. Throws without memory. */
export async function writeMask({ pixels, width, height }: Plane, size: Size): Promise<Blob> {
  const reply = await run({ kind: 'write', pixels, plane: { width, height }, size });
  if (reply?.kind !== 'written') throw new Error('the mask cannot be encoded');
  return reply.mask;
}

/** Each task has a worker of its own: what it held is released when the task ends. */
function run(task: MaskTask): Promise<MaskReply | undefined> {
  const worker = new Worker(new URL('./mask-worker.ts', import.meta.url), { type: 'module' });
  return runWorker(worker, task);
}
