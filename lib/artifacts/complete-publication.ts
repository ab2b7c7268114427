import { createHash } from 'node:crypto';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactRecord } from './artifact-store-port.ts';
import { publishedFiles } from './published-files.ts';

/** Returns true if every file of a publication is under its name, with the content that was noted. */
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

/** Returns the checksum of a file, in lower-case hexadecimal. */
export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
