import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CREATE_FLAGS } from '../../../lib/platform/owner-file.ts';

/**
 * Replaces a file atomically: readers see either the old or the new text, also after a crash. Every user may read the file,
 * because a gateway can run as another user.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  // The name may belong to a file left by a crash, or to a link; removing a link does not touch its target.
  await rm(fresh, { force: true });
  const file = await open(fresh, CREATE_FLAGS, 0o644);
  try {
    // The umask may have removed permission bits.
    await file.chmod(0o644);
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  await syncFolder(path);
}

/** Makes renames and removals in the folder of a file durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
