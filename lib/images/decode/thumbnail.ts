import { BridgeError } from '../../errors/bridge-error.ts';
import type { Thumbnail } from '../image.ts';
import { inspectImage } from './inspect-image.ts';
import { type InspectDeps, readImage } from './read-image.ts';
import { checkingThumbnail } from './sharp-pipelines.ts';

/** The thumbnail comes from the very decode that judges the image. Rejects with the signal's reason, or `internal`. */
export async function makeThumbnail(
  bytes: Buffer,
  edgePx: number,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Thumbnail> {
  const read = await readImage(bytes, { ...deps, pipeline: checkingThumbnail(edgePx) }, signal);
  if (!read.ok) return read;
  // A PNG may be longer than the JPEG it shows: the limit is for what comes from outside.
  const limits = { ...deps.limits, max_encoded_bytes: Number.MAX_SAFE_INTEGER };
  const inspection = await inspectImage(read.data, { ...deps, limits }, signal);
  if (!inspection.ok) throw new BridgeError('internal', 'a thumbnail came out damaged');
  return { ok: true, sha256: read.sha256, image: inspection.image };
}
