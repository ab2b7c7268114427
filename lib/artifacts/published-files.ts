import { createHash } from 'node:crypto';
import type { ArtifactFiles, PublishedFile } from './artifact-files-port.ts';
import type { ArtifactRecord } from './artifact-store-port.ts';

/** Returns the image file of an artifact. */
export function imageFile({ id, name, bytes, sha256 }: ArtifactRecord): PublishedFile {
  return { id, name, bytes, sha256 };
}

/**
 * Returns the sidecar file of an artifact, if it has one. The sidecar and the image are staged in the same folder, so the
 * sidecar needs its own id.
 */
export function sidecarFile({ id, sidecar }: ArtifactRecord): PublishedFile | undefined {
  return sidecar && { id: `${id}.json`, ...sidecar };
}

/** Returns all files of an artifact. */
export function publishedFiles(record: ArtifactRecord): readonly PublishedFile[] {
  const sidecar = sidecarFile(record);
  return sidecar === undefined ? [imageFile(record)] : [imageFile(record), sidecar];
}

/**
 * Removes the files of an artifact that are still the published files. If one removal fails, the other files are removed
 * anyway. Throws `artifact` if a file could not be removed.
 */
export async function removeFiles(
  files: Pick<ArtifactFiles, 'remove'>,
  record: ArtifactRecord,
): Promise<void> {
  const removals = publishedFiles(record).map((file) => files.remove(file));
  throwFirstRejection(await Promise.allSettled(removals));
}

/** Throws the reason of the first rejection, if there is one. */
export function throwFirstRejection(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Resolves with true if every file of a publication has its name and the recorded content. */
export async function isComplete(
  files: Pick<ArtifactFiles, 'read'>,
  record: ArtifactRecord,
): Promise<boolean> {
  for (const { name, bytes, sha256 } of publishedFiles(record)) {
    const content = await files.read(name, bytes);
    if (content === undefined || sha256Of(content.bytes) !== sha256) return false;
  }
  return true;
}

/** Returns the SHA-256 of a file in lowercase hexadecimal. */
export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
