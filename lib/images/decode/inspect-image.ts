import type { OutputInfo } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import { refused } from '../container/container-format.ts';
import { type CheckedContainer, checkContainer } from '../container/containers.ts';
import { checkInflatedSize } from '../container/png.ts';
import type { ImageLimits, Inspection, Refused, Thumbnail } from '../image.ts';
import type { ScopedWork } from '../image-work.ts';
import { sha256Steps } from '../sha256-steps.ts';
import type { SharpFactory } from './load-sharp.ts';
import { type CheckingPipeline, checkingDecode, checkingThumbnail } from './sharp-pipelines.ts';

/** Verifies one encoded image. Rejects only with the signal's reason. */
export async function inspectImage(
  bytes: Buffer,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Inspection> {
  const read = await readImage(bytes, { ...deps, pipeline: checkingDecode }, signal);
  if (!read.ok) return read;
  const { format, facts, data: plane, info, sha256 } = read;
  const { width, height, orientation = 1, hasAlpha, hasDeepProfile } = facts;
  // The limits were checked against the dimensions in the header, so the decoder must have found the same dimensions.
  if (info.width !== width || info.height !== height) return refused('corrupt');
  const alpha = hasAlpha ? alphaVerdict(plane) : 'none';
  free(plane);
  const deep = hasDeepProfile ? { hasDeepProfile } : {};
  return { ok: true, image: { bytes, format, width, height, orientation, alpha, sha256, ...deep } };
}

/** Frees up to 64 MB immediately. V8 would free the memory of a plane only after several more planes were decoded. */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * Verifies an image and makes its thumbnail in a single decode. Throws `internal` if the thumbnail is invalid. Rejects with the
 * signal's reason on abort.
 */
export async function makeThumbnail(
  bytes: Buffer,
  edgePx: number,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Thumbnail> {
  const read = await readImage(bytes, { ...deps, pipeline: checkingThumbnail(edgePx) }, signal);
  if (!read.ok) return read;
  // The byte limit applies only to images from outside. A PNG thumbnail of a JPEG may exceed this limit.
  const limits = { ...deps.limits, max_encoded_bytes: Number.MAX_SAFE_INTEGER };
  const inspection = await inspectImage(read.data, { ...deps, limits }, signal);
  if (!inspection.ok) throw new BridgeError('internal', 'generated thumbnail is not a valid image');
  return { ok: true, sha256: read.sha256, image: inspection.image };
}

interface InspectDeps {
  readonly limits: ImageLimits;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly sharp: SharpFactory;
  readonly underGate: ScopedWork['underGate'];
}

interface Deps extends InspectDeps {
  /** Pipeline that decodes every pixel and whose output is the `data` of the result. */
  readonly pipeline: CheckingPipeline;
}

type ValidContainer = Extract<CheckedContainer, { ok: true }>;
type Decoded = { readonly ok: true; readonly data: Buffer; readonly info: OutputInfo } | Refused;
/** A verified container with its decoded pixels. `sha256` is the SHA-256 of the encoded image. */
type ReadImage = (ValidContainer & Extract<Decoded, { ok: true }> & { sha256: string }) | Refused;

/**
 * Verifies an encoded image: first the container, then the pixels. The decode may take `max_decode_ms`, which does not include
 * the wait for a decode slot. The result of a longer decode is ignored, because the decode cannot be stopped. Rejects only with
 * the reason of the signal.
 */
async function readImage(bytes: Buffer, deps: Deps, signal: AbortSignal): Promise<ReadImage> {
  signal.throwIfAborted();
  const { limits, clock, underGate } = deps;
  const container = await deps.slices.run(checkContainer(bytes, limits), signal);
  if (!container.ok) return container;
  return new Promise((resolve, reject) => {
    const work = async () => {
      const giveUp = () => resolve(refused('decode_timeout'));
      const cancel = clock.after(limits.max_decode_ms, giveUp);
      try {
        return await decodeAndHash(bytes, container, deps, signal);
      } finally {
        cancel();
      }
    };
    underGate(container.facts, work, signal).then(resolve, reject);
  });
}

/** Decodes the pixels, and computes the SHA-256 at the same time. */
async function decodeAndHash(
  bytes: Buffer,
  container: ValidContainer,
  deps: Deps,
  signal: AbortSignal,
): Promise<ReadImage> {
  // An abort stops the hashing but not sharp. The decode slot must be released only after sharp has finished.
  const [decoded, sha256] = await Promise.allSettled([
    decodeAll(bytes, container, deps, signal),
    deps.slices.run(sha256Steps(bytes), signal),
  ]);
  if (decoded.status === 'rejected') throw decoded.reason;
  if (sha256.status === 'rejected') throw sha256.reason;
  const pixels = decoded.value;
  return pixels.ok ? { ...container, ...pixels, sha256: sha256.value } : pixels;
}

async function decodeAll(
  bytes: Buffer,
  { facts }: ValidContainer,
  { limits, sharp, pipeline }: Deps,
  signal: AbortSignal,
): Promise<Decoded> {
  const { deflated = [] } = facts;
  // Await only if there is something to inflate, because an await here would let the hashing start before the decode.
  if (deflated.length > 0) {
    const heavy = await checkInflatedSize(deflated, signal);
    if (heavy !== undefined) return refused(heavy);
  }
  try {
    const work = pipeline(sharp, bytes, facts, limits);
    const { data, info } = await work.toBuffer({ resolveWithObject: true });
    return { ok: true, data, info };
  } catch (thrown) {
    return refused(isTimeout(thrown) ? 'decode_timeout' : 'corrupt');
  }
}

/** Returns true for a timeout error of sharp, such as `timeout: 42% complete`. sharp has no error codes. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith('timeout: ');
}

/** Returns `opaque` if all 8-bit alpha values of a plane are 255, `empty` if all are 0, otherwise `some`. */
export function alphaVerdict(plane: Buffer): 'opaque' | 'some' | 'empty' {
  const first = plane[0];
  if (first !== 0 && first !== 255) return 'some';
  // All bytes are equal if each byte equals the next byte. This single native comparison takes 2 ms for 67 megapixels.
  const isConstant = plane.subarray(1).equals(plane.subarray(0, -1));
  if (!isConstant) return 'some';
  return first === 0 ? 'empty' : 'opaque';
}
