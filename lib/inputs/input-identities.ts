import { sha256Steps } from '../images/sha256-steps.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import type { InputSet, InputSource } from './input-source.ts';

/**
 * What distinguishes each image of a request from others before it is loaded: the SHA-256 of the bytes that were sent or
 * stored, in lowercase hexadecimal, the id of an artifact, or the URL. Rejects with the signal's reason on abort.
 */
export async function identifyInputs(
  { images, mask, references }: InputSet<InputSource>,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<InputSet<string>> {
  // One after the other: in parallel they would share the same time slices.
  const identifyAll = async (sources: readonly InputSource[]) => {
    const identities: string[] = [];
    for (const source of sources) identities.push(await identify(source, slices, signal));
    return identities;
  };
  return {
    images: await identifyAll(images),
    ...(mask ? { mask: await identify(mask, slices, signal) } : {}),
    references: await identifyAll(references),
  };
}

async function identify(
  source: InputSource,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<string> {
  switch (source.kind) {
    case 'inline':
      return slices.run(sha256Steps(source.bytes), signal);
    case 'stored':
      return source.sha256;
    case 'artifact':
      return `artifact:${source.artifactId}`;
    case 'remote':
      return `url:${source.url}`;
  }
}
