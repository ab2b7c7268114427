import { join } from 'node:path';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { type FileLock, lockFile } from './file-lock.ts';

export type StateLock = ({ readonly ok: true } & FileLock) | { readonly ok: false };

/**
 * Locks the state directory for this process and creates it for its owner only when there is none. `ok: false` when
 * another process, or an earlier call, holds the lock. Throws `configuration` when it cannot be made or locked.
 */
export function lockStateDirectory(directory: string): StateLock {
  try {
    const lock = lockFile(join(directory, 'lock'));
    return lock ? { ok: true, ...lock } : { ok: false };
  } catch (cause) {
    throw new BridgeError('configuration', 'state.directory: it cannot be made or locked', {
      cause,
    });
  }
}
