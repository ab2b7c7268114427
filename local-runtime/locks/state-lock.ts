import { join, resolve } from 'node:path';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { errorCode } from '../../lib/platform/error-code.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { findLockProcess } from './lock-process.ts';

export type StateLock =
  | ({ readonly ok: true } & FileLock)
  | {
      readonly ok: false;
      /** The end of a sentence that begins with the setting: which folder is used, and by which process. */
      readonly holder: string;
    };

/**
 * Locks the state directory for this process and creates it for its owner only when there is none. `ok: false` when
 * another process, or an earlier call, holds the lock. Throws `configuration` when it cannot be made or locked.
 */
export function lockStateDirectory(directory: string): StateLock {
  try {
    const path = join(directory, 'lock');
    const lock = lockFile(path);
    if (lock) return { ok: true, ...lock };
    const pid = findLockProcess(path);
    const process = pid === undefined ? 'another process' : `process ${pid}`;
    return { ok: false, holder: `${resolve(directory)} is in use by ${process}` };
  } catch (cause) {
    const code = errorCode(cause);
    const reason = code === undefined ? '' : ` (${code})`;
    const message = `state.directory: ${resolve(directory)} cannot be made or locked${reason}`;
    throw new BridgeError('configuration', message, { cause });
  }
}
