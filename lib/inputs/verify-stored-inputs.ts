import type { ImageEngine, ImageFault } from '../images/image.ts';
import type { StoredInputFiles } from './stored-inputs-port.ts';

interface Deps {
  /** Lists the images of jobs by ascending SHA-256: at most `limit` images after `after`. */
  readonly list: (page: {
    readonly after: string;
    readonly limit: number;
  }) => Promise<readonly { readonly sha256: string; readonly bytes: number }[]>;
  /** Resolves with true if a job in the history has the image. */
  readonly isNeeded: (sha256: string) => Promise<boolean>;
  readonly files: Pick<StoredInputFiles, 'readWhole' | 'stamp'>;
  readonly engine: Pick<ImageEngine, 'inspect'>;
}

/** A stored image that differs from the image of the job. */
export interface InputProblem {
  /** SHA-256 that the image should have. */
  readonly input: string;
  readonly problem: 'missing' | 'resized' | 'changed' | 'undecodable';
  readonly fault?: ImageFault;
}

// The number of files in memory at a time: twice the number of images that the engine decodes at once.
const BATCH = 4;

/**
 * Reads every stored image of the jobs in the history, with the same checks as a delivery. Changes nothing. Each problem is
 * reported as soon as it is found. An image that is removed meanwhile is not a problem. Throws any error of the store. Rejects
 * with the reason of the signal on abort.
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
