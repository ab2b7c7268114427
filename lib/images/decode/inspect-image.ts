import { refused } from '../container/container-facts.ts';
import type { Inspection } from '../image.ts';
import { alphaVerdict } from './alpha-verdict.ts';
import { type InspectDeps, readImage } from './read-image.ts';
import { checkingDecode } from './sharp-pipelines.ts';

/** Verifies one encoded image. Rejects only with the signal's reason. */
export async function inspectImage(
  bytes: Buffer,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Inspection> {
  const read = await readImage(bytes, { ...deps, pipeline: checkingDecode }, signal);
  if (!read.ok) return read;
  const { format, facts, data: plane, info, sha256 } = read;
  const { width, height, orientation, hasAlpha, hasDeepProfile } = facts;
  // The limits were checked with the edges that we read from the header: the decoder must have read the same.
  if (info.width !== width || info.height !== height) return refused('corrupt');
  const alpha = hasAlpha ? alphaVerdict(plane) : 'none';
  free(plane);
  const deep = hasDeepProfile ? { hasDeepProfile } : {};
  return { ok: true, image: { bytes, format, width, height, orientation, alpha, sha256, ...deep } };
}

/** Up to 64 MB a plane: the images of one request would fill several times that before V8 collects any. */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
