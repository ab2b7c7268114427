import { BridgeError } from '../../errors/bridge-error.ts';
import { errorCode } from '../../platform/error-code.ts';

const FULL = 'artifact_folder_full';
const UNUSABLE = 'artifact_folder_unusable';

/** The message for each error code of the file system, and the value of `details.reason`. */
const FAULTS: Readonly<Record<string, readonly [message: string, reason: string]>> = {
  ENOSPC: ['the artifact folder is full', FULL],
  EDQUOT: ['the artifact folder is full', FULL],
  EFBIG: ['the file is too large for the artifact folder', UNUSABLE],
  EACCES: ['access to the artifact folder is denied', UNUSABLE],
  EPERM: ['access to the artifact folder is denied', UNUSABLE],
  EXDEV: ['a folder below the artifact folder is on another file system', UNUSABLE],
  EROFS: ['the artifact folder is read-only', UNUSABLE],
};

/** Settles like `work`, but converts errors of the file system to `artifact` errors, whose messages do not contain the path. */
export async function asArtifactError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined || cause instanceof BridgeError) throw cause;
    const [message, reason] = FAULTS[code] ?? ['the artifact folder failed', UNUSABLE];
    throw new BridgeError('artifact', message, { details: { reason }, cause });
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: 'state_store_full',
  EDQUOT: 'state_store_full',
  EFBIG: 'state_store_full',
  EACCES: 'state_store_read_only',
  EPERM: 'state_store_read_only',
  EROFS: 'state_store_read_only',
};

/**
 * Settles like `work`, but converts errors of the file system in the state directory to `overloaded`, as `toStoreError` does
 * for errors of the database.
 */
export async function asStateError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    // An error without a code is not from the file system, for example an `artifact` error for a file in place of a folder.
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    throw new BridgeError('overloaded', 'the state directory is unavailable', {
      details: { reason: REFUSALS[code] ?? 'state_store_failing' },
      cause,
    });
  }
}

// Links (`ELOOP`) and sockets (`ENXIO`) are not opened and count as missing.
const ABSENCES: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'];

/** Returns true if the error means that there is no such file. */
export function isAbsence(error: unknown): boolean {
  return ABSENCES.includes(errorCode(error));
}
