import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { errorCode } from '../../../lib/platform/error-code.ts';
import { type FileLock, lockFile } from './file-lock.ts';

type StateLock =
  | ({ readonly ok: true } & FileLock)
  | {
      readonly ok: false;
      /** The reason, to be printed after the name of the setting. Names the folder and the process that uses the folder. */
      readonly holder: string;
    };

/**
 * Locks the state directory for this process. If the directory does not exist, creates it, accessible only by its owner.
 * Returns `ok: false` if another process, or an earlier call, holds the lock. Throws `configuration` if the directory cannot
 * be created or locked.
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
    const message = `state.directory: ${resolve(directory)} cannot be created or locked${reason}`;
    throw new BridgeError('configuration', message, { cause });
  }
}

/**
 * Returns the id of the process that holds a lock on a file, according to the list of locks in Linux (proc_locks(5)). Returns
 * undefined if the process is not listed.
 */
function findLockProcess(path: string): number | undefined {
  try {
    const { ino } = statSync(path);
    const held = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => /^\d+: POSIX +\S+ +\S+ (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line))
      .find((match) => match?.[2] === String(ino));
    const pid = Number(held?.[1] ?? 0);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
