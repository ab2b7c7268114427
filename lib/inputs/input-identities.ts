import { sha256Steps } from '../images/sha256-steps.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import type { InputSet, InputSource } from './input-source.ts';

/**
 * Resolves with a text for each image of a request. The text identifies the image before it is loaded: the SHA-256 of sent or
 * stored bytes in lowercase hexadecimal, the id of an artifact, or the URL. Rejects with the reason of the signal on abort.
 */
export async function identifyInputs(
  { images, mask, references }: InputSet<InputSource>,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<InputSet<string>> {
  // Hashes one image after the other. Parallel hashing would not be faster, because all hashing shares the same time slices.
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
