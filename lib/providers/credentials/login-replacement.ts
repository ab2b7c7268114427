import { constants } from 'node:fs';
import { lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';

/** A file that is ready to replace the login file. */
export interface LoginReplacement {
  /** Replaces the login with `text`, wholly or not at all; durable when it resolves. */
  commit(text: string): Promise<void>;
  /** Removes what was not committed. */
  discard(): Promise<void>;
}

interface Deps {
  readonly home: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const OWNER_ONLY = 0o600;
const LEFTOVER = /^\.image-bridge-auth\.[0-9a-f]{32}\.tmp$/;
// A refresh is over long before.
const LEFTOVER_AFTER_MS = 120_000;

/**
 * Makes the file and fills it with `bytes` bytes, before the single-use token is spent: a folder that is full or takes
 * no files must not cost the login. Removes what crashes have left. Rejects with the file system's own errors.
 */
export async function openReplacement(
  bytes: number,
  { home, clock, ids }: Deps,
): Promise<LoginReplacement> {
  await removeLeftovers(home, clock);
  const path = join(home, `.image-bridge-auth.${ids.newOpaqueId()}.tmp`);
  const file = await open(path, CREATE, OWNER_ONLY);
  let isCommitted = false;
  let isDiscarded = false;

  async function discard(): Promise<void> {
    if (isDiscarded) return;
    isDiscarded = true;
    await file.close();
    if (!isCommitted) await unlink(path).catch(() => undefined);
  }

  try {
    await file.write(Buffer.alloc(bytes), 0, bytes, 0);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    async commit(text) {
      const whole = Buffer.from(text);
      for (let at = 0; at < whole.length; ) {
        const { bytesWritten } = await file.write(whole, at, whole.length - at, at);
        at += bytesWritten;
      }
      await file.truncate(whole.length);
      // Its name may become durable before its bytes do, which would leave an empty login.
      await file.sync();
      await rename(path, join(home, 'auth.json'));
      isCommitted = true;
      await syncFolder(home);
    },
    discard,
  };
}

async function removeLeftovers(home: string, clock: Clock): Promise<void> {
  const names = (await readdir(home)).filter((name) => LEFTOVER.test(name));
  for (const name of names) {
    const path = join(home, name);
    try {
      const { mtimeMs } = await lstat(path);
      if (clock.nowMs() - mtimeMs > LEFTOVER_AFTER_MS) await unlink(path);
    } catch {
      // It does no harm.
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
