import { BridgeError } from '../../errors/bridge-error.ts';
import type { Thumbnail } from '../image.ts';
import { inspectImage } from './inspect-image.ts';
import { type InspectDeps, readImage } from './read-image.ts';
import { checkingThumbnail } from './sharp-pipelines.ts';

/** Makes the thumbnail with the same decode that verifies the image. Throws `internal`, or the signal's reason. */
export async function makeThumbnail(
  bytes: Buffer,
  edgePx: number,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Thumbnail> {
  const read = await readImage(bytes, { ...deps, pipeline: checkingThumbnail(edgePx) }, signal);
  if (!read.ok) return read;
  // A PNG may be longer than the JPEG it was made from: this limit is for images from outside.
  const limits = { ...deps.limits, max_encoded_bytes: Number.MAX_SAFE_INTEGER };
  const inspection = await inspectImage(read.data, { ...deps, limits }, signal);
  if (!inspection.ok)
    throw new BridgeError('internal', 'the thumbnail that was made is not a valid image');
  return { ok: true, sha256: read.sha256, image: inspection.image };
}
