import type { ImageEngine, ImageFault } from '../images/image.ts';
import type { StoredInputFiles } from './stored-inputs-port.ts';

interface Deps {
  /** Those that jobs came with, by ascending SHA-256: at most `limit` of those behind `after`. */
  readonly list: (page: {
    readonly after: string;
    readonly limit: number;
  }) => Promise<readonly { readonly sha256: string; readonly bytes: number }[]>;
  /** Whether a job in the history came with the image. */
  readonly isNeeded: (sha256: string) => Promise<boolean>;
  readonly files: Pick<StoredInputFiles, 'readWhole' | 'stamp'>;
  readonly engine: Pick<ImageEngine, 'inspect'>;
}

/** A stored image that is not as a job came with it, by the SHA-256 that it should have. */
export interface InputProblem {
  readonly input: string;
  readonly problem: 'missing' | 'resized' | 'changed' | 'undecodable';
  readonly fault?: ImageFault;
}

// As many files as are in memory at a time: twice what the engine decodes at once.
const BATCH = 4;

/**
 * Reads every stored image of a job in the history as its delivery would; changes nothing. Each problem is reported as it
 * is found. An image that is removed meanwhile is not a problem. Throws what the store throws, or the signal's reason.
 */
export async function verifyStoredInputs(
  deps: Deps,
  onProblem: (problem: InputProblem) => void,
  signal: AbortSignal,
): Promise<{ readonly inputs: number; readonly problems: number }> {
  const counts = { inputs: 0, problems: 0 };
  for (let after = ''; ; ) {
    const batch = await deps.list({ after, limit: BATCH });
    const last = batch.at(-1);
    if (last === undefined) return counts;
    after = last.sha256;
    const found = await Promise.all(batch.map((input) => problemsOf(input, deps, signal)));
    for (const problem of found.flat()) onProblem(problem);
    counts.inputs += batch.length;
    counts.problems += found.flat().length;
  }
}

async function problemsOf(
  { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
  { files, engine, isNeeded }: Deps,
  signal: AbortSignal,
): Promise<readonly InputProblem[]> {
  const content = await files.readWhole(sha256, bytes);
  if (content === undefined) {
    const problem = (await files.stamp(sha256)) === undefined ? 'missing' : 'resized';
    return (await isNeeded(sha256)) ? [{ input: sha256, problem }] : [];
  }
  const inspection = await engine.inspect(content.bytes, signal);
  if (!inspection.ok) return [{ input: sha256, problem: 'undecodable', fault: inspection.fault }];
  return inspection.image.sha256 === sha256 ? [] : [{ input: sha256, problem: 'changed' }];
}
