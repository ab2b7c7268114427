import { BridgeError } from '../errors/bridge-error.ts';
import { runForEach } from '../platform/concurrent-work.ts';
import type { StoredInputFiles } from './stored-inputs-port.ts';

interface StoredImage {
  readonly sha256: string;
  readonly bytes: number;
}

interface Deps {
  /** Lists the images of jobs by ascending SHA-256: at most `limit` images after `after`. */
  readonly list: (page: {
    readonly after: string;
    readonly limit: number;
  }) => Promise<readonly StoredImage[]>;
  readonly source: Pick<StoredInputFiles, 'read'>;
  readonly target: Pick<StoredInputFiles, 'read' | 'put'>;
}

interface Report {
  readonly onFiles: (count: number) => void;
  /** Called with the SHA-256 of an image that is missing in the source or is damaged. */
  readonly onProblem: (sha256: string) => void;
}

// The number of images that are copied at the same time. Their bytes are in memory.
const CONCURRENT = 8;
const PAGE = 100;

/**
 * Copies every stored image of the jobs, and reads each copy again to compare its checksum. Images that the target already has
 * are compared but not copied. Throws `overloaded` if a write fails, and `internal` if the target returns different bytes.
 */
export function copyStoredInputs(
  { list, source, target }: Deps,
  { onFiles, onProblem }: Report,
  signal: AbortSignal,
): Promise<void> {
  async function copy({ sha256, bytes }: StoredImage): Promise<void> {
    const content = await source.read(sha256, bytes);
    if (content === undefined) return onProblem(sha256);
    if ((await target.read(sha256, bytes)) !== undefined) return;
    await target.put(sha256, content);
    if ((await target.read(sha256, bytes)) !== undefined) return;
    throw new BridgeError('internal', `the target returns different bytes for the input ${sha256}`);
  }

  return runForEach(listImages(list), { limit: CONCURRENT, signal }, async (image) => {
    await copy(image);
    onFiles(1);
  });
}

async function* listImages(list: Deps['list']): AsyncGenerator<StoredImage> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await list({ after, limit: PAGE });
    yield* page;
    after = page.at(-1)?.sha256;
  }
}
