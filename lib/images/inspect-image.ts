import type { Clock } from '../platform/clock.ts';
import { alphaVerdict } from './alpha-verdict.ts';
import { type CheckedContainer, checkContainer } from './check-container.ts';
import { refused } from './container.ts';
import type { ImageFault, ImageLimits, Inspection } from './image.ts';
import type { SharpFactory } from './load-sharp.ts';
import { weighInflated } from './png-inflated.ts';
import { sha256Steps } from './sha256-steps.ts';
import { checkingDecode } from './sharp-pipelines.ts';
import { runInSlices } from './time-slices.ts';

export interface InspectDeps {
  readonly limits: ImageLimits;
  readonly clock: Clock;
  readonly sharp: SharpFactory;
  readonly underGate: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}

type SoundContainer = Extract<CheckedContainer, { ok: true }>;
type Fault = { readonly ok: false; readonly fault: ImageFault };
/** The alpha of every pixel, or any other channel where there is no alpha. */
type Decoded = { readonly ok: true; readonly plane: Buffer } | Fault;
type Read = { readonly ok: true; readonly plane: Buffer; readonly sha256: string } | Fault;

/** Container first, then pixels and checksum side by side. Rejects with the signal's reason, never over the picture. */
export async function inspectImage(
  bytes: Buffer,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Inspection> {
  signal.throwIfAborted();
  const container = await runInSlices(checkContainer(bytes, deps.limits), deps.clock, signal);
  if (!container.ok) return container;
  const read = await readInTime(bytes, container, deps, signal);
  if (!read.ok) return read;
  const { format, facts } = container;
  const { width, height, orientation, hasAlpha } = facts;
  const alpha = hasAlpha ? alphaVerdict(read.plane) : 'none';
  const { sha256 } = read;
  return { ok: true, image: { bytes, format, width, height, orientation, alpha, sha256 } };
}

/** The wait at the gate does not count as decoding. What is late is given up here and ends by itself. */
function readInTime(
  bytes: Buffer,
  container: SoundContainer,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Read> {
  const { limits, clock, underGate } = deps;
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
    underGate(work, signal).then(resolve, reject);
  });
}

async function decodeAndHash(
  bytes: Buffer,
  container: SoundContainer,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<Read> {
  // An abort ends the hashing early, but the place at the gate is free only when sharp has ended too.
  const [decoded, sha256] = await Promise.allSettled([
    decodeAll(bytes, container, deps, signal),
    runInSlices(sha256Steps(bytes), deps.clock, signal),
  ]);
  if (decoded.status === 'rejected') throw decoded.reason;
  if (sha256.status === 'rejected') throw sha256.reason;
  return decoded.value.ok ? { ...decoded.value, sha256: sha256.value } : decoded.value;
}

async function decodeAll(
  bytes: Buffer,
  { facts }: SoundContainer,
  { limits, sharp }: InspectDeps,
  signal: AbortSignal,
): Promise<Decoded> {
  const heavy = await weighInflated(facts.deflated, signal);
  if (heavy !== undefined) return refused(heavy);
  try {
    const pipeline = checkingDecode(sharp, bytes, facts, limits);
    const { data, info } = await pipeline.toBuffer({ resolveWithObject: true });
    // The limits were judged by our reading of the header: the decoder must have read the same.
    const agrees = info.width === facts.width && info.height === facts.height;
    return agrees ? { ok: true, plane: data } : refused('corrupt');
  } catch (thrown) {
    return refused(isTimeout(thrown) ? 'decode_timeout' : 'corrupt');
  }
}

/** sharp has no error codes; its own timeout says `timeout: 42% complete`. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith('timeout: ');
}
