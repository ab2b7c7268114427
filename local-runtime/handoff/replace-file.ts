import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CREATE_FLAGS } from '../../lib/platform/owner-file.ts';

/**
 * Replaces a file atomically: its readers see the old text or the new one, and after a crash it is one of them. Every user
 * may read it: a gateway can run as another one.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  // One that a crash has left, or a link: removing it does not touch the target.
  await rm(fresh, { force: true });
  const file = await open(fresh, CREATE_FLAGS, 0o644);
  try {
    // The mask of new files may have removed bits.
    await file.chmod(0o644);
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  await syncFolder(path);
}

/** What has been renamed or removed in the folder of a file stays so after a crash. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
