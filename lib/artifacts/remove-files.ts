import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactRecord } from './artifact-store-port.ts';
import { publishedFiles } from './published-files.ts';

/** Removes the files of an artifact that are still ours. Each is tried, whatever fails beside it. Throws `artifact`. */
export async function removeFiles(
  files: Pick<ArtifactFiles, 'remove'>,
  record: ArtifactRecord,
): Promise<void> {
  const removals = publishedFiles(record).map((file) => files.remove(file));
  throwFirstRejection(await Promise.allSettled(removals));
}

export function throwFirstRejection(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
