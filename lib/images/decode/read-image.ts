import type { OutputInfo } from 'sharp';
import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import { type CheckedContainer, checkContainer } from '../container/check-container.ts';
import { type ContainerFacts, refused } from '../container/container-facts.ts';
import type { ImageFault, ImageLimits } from '../image.ts';
import type { ScopedWork } from '../image-work.ts';
import { checkInflatedSize } from '../png/png-inflated.ts';
import { sha256Steps } from '../sha256-steps.ts';
import type { SharpFactory } from './load-sharp.ts';
import type { CheckingPipeline } from './sharp-pipelines.ts';

export interface InspectDeps {
  readonly limits: ImageLimits;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly sharp: SharpFactory;
  readonly underGate: ScopedWork['underGate'];
}

interface Deps extends InspectDeps {
  /** Decodes every pixel, and produces the result of this read. */
  readonly pipeline: CheckingPipeline;
}

type Fault = { readonly ok: false; readonly fault: ImageFault };
type ValidContainer = Extract<CheckedContainer, { ok: true }>;

/** The result of the pipeline. */
type Decoded = { readonly ok: true; readonly data: Buffer; readonly info: OutputInfo } | Fault;
type Hashed = (Extract<Decoded, { ok: true }> & { readonly sha256: string }) | Fault;

export type ReadImage =
  | {
      readonly ok: true;
      readonly format: OutputFormat;
      readonly facts: ContainerFacts;
      readonly data: Buffer;
      readonly info: OutputInfo;
      /** Of the encoded image, lowercase hexadecimal. */
      readonly sha256: string;
    }
  | Fault;

/**
 * Verifies an encoded image: first its container, then its pixels while its checksum is computed. Rejects only with the
 * signal's reason.
 */
export async function readImage(
  bytes: Buffer,
  deps: Deps,
  signal: AbortSignal,
): Promise<ReadImage> {
  signal.throwIfAborted();
  const container = await deps.slices.run(checkContainer(bytes, deps.limits), signal);
  if (!container.ok) return container;
  const { format, facts } = container;
  const read = await readInTime(bytes, container, deps, signal);
  return read.ok ? { ...read, format, facts } : read;
}

/** The wait for a decode slot does not count. A decode that takes too long cannot be stopped: only its result is ignored. */
function readInTime(
  bytes: Buffer,
  container: ValidContainer,
  deps: Deps,
  signal: AbortSignal,
): Promise<Hashed> {
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
    underGate(container.facts, work, signal).then(resolve, reject);
  });
}

async function decodeAndHash(
  bytes: Buffer,
  container: ValidContainer,
  deps: Deps,
  signal: AbortSignal,
): Promise<Hashed> {
  // An abort ends the hashing early, but the decode slot is released only when sharp has ended too.
  const [decoded, sha256] = await Promise.allSettled([
    decodeAll(bytes, container, deps, signal),
    deps.slices.run(sha256Steps(bytes), signal),
  ]);
  if (decoded.status === 'rejected') throw decoded.reason;
  if (sha256.status === 'rejected') throw sha256.reason;
  return decoded.value.ok ? { ...decoded.value, sha256: sha256.value } : decoded.value;
}

async function decodeAll(
  bytes: Buffer,
  { facts }: ValidContainer,
  { limits, sharp, pipeline }: Deps,
  signal: AbortSignal,
): Promise<Decoded> {
  // Without a microtask if there is nothing to inflate: otherwise the hashing would start before the decode.
  if (facts.deflated.length > 0) {
    const heavy = await checkInflatedSize(facts.deflated, signal);
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

/** sharp has no error codes; its own timeout says `timeout: 42% complete`. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith('timeout: ');
}
