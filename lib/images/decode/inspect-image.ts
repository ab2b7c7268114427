import type { OutputInfo } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { ByteParts } from '../../platform/byte-parts.ts';
import type { Clock } from '../../platform/clock.ts';
import { freeBuffer } from '../../platform/free-buffer.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import { refused } from '../container/container-format.ts';
import { type CheckedContainer, checkContainer } from '../container/containers.ts';
import { checkInflatedSize } from '../container/png.ts';
import {
  type CheckedImage,
  type EncodedImage,
  type ImageLimits,
  type Inspection,
  type MarkedInspection,
  type Refused,
  type Thumbnail,
  withBytes,
} from '../image.ts';
import type { ScopedWork } from '../image-work.ts';
import { sha256Steps } from '../sha256-steps.ts';
import type { SharpFactory } from './load-sharp.ts';
import { type CheckingPipeline, checkingDecode, checkingThumbnail } from './sharp-pipelines.ts';

/** Verifies one encoded image, and computes its checksum. Rejects only with the signal's reason. */
export async function inspectImage(
  bytes: Buffer,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Inspection> {
  const meanwhile = hashing([bytes], deps, signal);
  const read = await readImage(bytes, { ...deps, pipeline: checkingDecode, meanwhile }, signal);
  if (!read.ok) return read;
  const checked = toChecked(bytes, read);
  return checked.ok ? { ok: true, image: { ...checked.image, sha256: read.result } } : checked;
}

/** Verifies one encoded image. Rejects only with the signal's reason. */
export async function checkImage(
  bytes: Buffer,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Inspection<CheckedImage>> {
  const meanwhile = async () => {};
  const read = await readImage(bytes, { ...deps, pipeline: checkingDecode, meanwhile }, signal);
  return read.ok ? toChecked(bytes, read) : read;
}

/**
 * Verifies one encoded image. `mark` runs while the pixels are decoded, and resolves with the bytes of the marked image, or with
 * undefined. Rejects only with the signal's reason.
 */
export async function checkAndMarkImage(
  bytes: Buffer,
  mark: (image: EncodedImage) => Promise<ByteParts | undefined>,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<MarkedInspection> {
  const meanwhile = async ({ format }: ValidContainer) => {
    const edited = await mark({ bytes, format });
    return edited && { edited, sha256: await hashing(edited.parts, deps, signal)() };
  };
  const read = await readImage(bytes, { ...deps, pipeline: checkingDecode, meanwhile }, signal);
  if (!read.ok) return read;
  const checked = toChecked(bytes, read);
  if (!checked.ok) return checked;
  const { image } = checked;
  const marked = read.result && {
    ...withBytes(image, read.result.edited),
    sha256: read.result.sha256,
  };
  return { ok: true, image, marked };
}

function toChecked(
  bytes: Buffer,
  { format, facts, data: plane, info }: ValidImage,
): Inspection<CheckedImage> {
  const { width, height, orientation = 1, hasAlpha, hasDeepProfile } = facts;
  // The limits were checked against the dimensions in the header, so the decoder must have found the same dimensions.
  if (info.width !== width || info.height !== height) return refused('corrupt');
  const alpha = hasAlpha ? alphaVerdict(plane) : 'none';
  // Up to 64 MB, which V8 would free only after several more planes were decoded.
  freeBuffer(plane);
  const deep = hasDeepProfile ? { hasDeepProfile } : {};
  return { ok: true, image: { bytes, format, width, height, orientation, alpha, ...deep } };
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
  const meanwhile = hashing([bytes], deps, signal);
  const pipeline = checkingThumbnail(edgePx);
  const read = await readImage(bytes, { ...deps, pipeline, meanwhile }, signal);
  if (!read.ok) return read;
  // The byte limit applies only to images from outside. A PNG thumbnail of a JPEG may exceed this limit.
  const limits = { ...deps.limits, max_encoded_bytes: Number.MAX_SAFE_INTEGER };
  const inspection = await inspectImage(read.data, { ...deps, limits }, signal);
  if (!inspection.ok) throw new BridgeError('internal', 'generated thumbnail is not a valid image');
  return { ok: true, sha256: read.result, image: inspection.image };
}

interface InspectDeps {
  readonly limits: ImageLimits;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly sharp: SharpFactory;
  readonly underGate: ScopedWork['underGate'];
}

interface Deps<T> extends InspectDeps {
  /** Pipeline that decodes every pixel and whose output is the `data` of the result. */
  readonly pipeline: CheckingPipeline;
  /** Work of the main thread that runs while another thread decodes the pixels. */
  readonly meanwhile: (container: ValidContainer) => Promise<T>;
}

/** Returns the work that computes the SHA-256 of an encoded image in parts. */
function hashing(
  parts: readonly Buffer[],
  { slices }: Pick<InspectDeps, 'slices'>,
  signal: AbortSignal,
): () => Promise<string> {
  return () => slices.run(sha256Steps(...parts), signal);
}

type ValidContainer = Extract<CheckedContainer, { ok: true }>;
type Decoded = { readonly ok: true; readonly data: Buffer; readonly info: OutputInfo } | Refused;
/** A verified container with its decoded pixels. */
type ValidImage = ValidContainer & Extract<Decoded, { ok: true }>;
/** A valid image, with the result of the work that ran meanwhile. */
type ReadImage<T> = (ValidImage & { readonly result: T }) | Refused;

/**
 * Verifies an encoded image: first the container, then the pixels. The decode may take `max_decode_ms`, which does not include
 * the wait for a decode slot. The result of a longer decode is ignored, because the decode cannot be stopped. Rejects only with
 * the reason of the signal.
 */
async function readImage<T>(
  bytes: Buffer,
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<ReadImage<T>> {
  signal.throwIfAborted();
  const { limits, clock, underGate } = deps;
  const container = await deps.slices.run(checkContainer(bytes, limits), signal);
  if (!container.ok) return container;
  return new Promise((resolve, reject) => {
    const work = async () => {
      const giveUp = () => resolve(refused('decode_timeout'));
      const cancel = clock.after(limits.max_decode_ms, giveUp);
      try {
        return await decodeAndWork(bytes, container, deps, signal);
      } finally {
        cancel();
      }
    };
    underGate(container.facts, work, signal).then(resolve, reject);
  });
}

/** Decodes the pixels, and does the other work at the same time. */
async function decodeAndWork<T>(
  bytes: Buffer,
  container: ValidContainer,
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<ReadImage<T>> {
  // An abort stops the other work but not sharp. The decode slot must be released only after sharp has finished.
  const [decoded, worked] = await Promise.allSettled([
    decodeAll(bytes, container, deps, signal),
    deps.meanwhile(container),
  ]);
  if (decoded.status === 'rejected') throw decoded.reason;
  if (worked.status === 'rejected') throw worked.reason;
  const pixels = decoded.value;
  return pixels.ok ? { ...container, ...pixels, result: worked.value } : pixels;
}

async function decodeAll(
  bytes: Buffer,
  { facts }: ValidContainer,
  { limits, sharp, pipeline }: Pick<Deps<unknown>, 'limits' | 'sharp' | 'pipeline'>,
  signal: AbortSignal,
): Promise<Decoded> {
  const { deflated = [] } = facts;
  // Await only if there is something to inflate, because an await here would let the other work start before the decode.
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
