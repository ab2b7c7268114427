import { sha256Steps } from '../images/sha256-steps.ts';
import { runInSlices } from '../images/time-slices.ts';
import type { Clock } from '../platform/clock.ts';
import type { InputSource } from './input-source.ts';
import type { InputSet } from './verify-inputs.ts';

/**
 * The SHA-256 of every picture as it was sent, in lowercase hexadecimal; other work runs in between. Rejects with the
 * signal's reason on abort.
 */
export async function hashInputs(
  { images, mask, references }: InputSet<InputSource>,
  clock: Clock,
  signal: AbortSignal,
): Promise<InputSet<string>> {
  const hashOf = ({ bytes }: InputSource) => runInSlices(sha256Steps(bytes), clock, signal);
  // One after the other: several at once would share the loop's turns and only make them longer.
  const hashAll = async (sources: readonly InputSource[]) => {
    const hashes: string[] = [];
    for (const source of sources) hashes.push(await hashOf(source));
    return hashes;
  };
  return {
    images: await hashAll(images),
    ...(mask ? { mask: await hashOf(mask) } : {}),
    references: await hashAll(references),
  };
}
