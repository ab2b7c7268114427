import { BridgeError } from '../../errors/bridge-error.ts';
import { errorCode } from '../../platform/error-code.ts';

const FULL = 'artifact_folder_full';
const UNUSABLE = 'artifact_folder_unusable';

/** What is wrong, and the word for it in `details.reason`. */
const FAULTS: Readonly<Record<string, readonly [message: string, reason: string]>> = {
  ENOSPC: ['the artifact folder is full', FULL],
  EDQUOT: ['the artifact folder is full', FULL],
  EFBIG: ['the artifact folder takes no file of that size', FULL],
  EACCES: ['the artifact folder refuses access', UNUSABLE],
  EPERM: ['the artifact folder refuses access', UNUSABLE],
  EXDEV: ['a folder below the artifact folder lies on another file system', UNUSABLE],
  EROFS: ['the artifact folder is read-only', UNUSABLE],
};

/** Resolves as `work` does; what the file system says becomes `artifact`, without the path that its own message names. */
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
 * Resolves as `work` does; what the file system says of the state directory becomes `overloaded`, as what the database
 * in it says.
 */
export async function asStateError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    // From the file system, or `artifact` when a file is where a folder should be.
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    throw new BridgeError('overloaded', 'the state directory cannot take this now', {
      details: { reason: REFUSALS[code] ?? 'state_store_failing' },
      cause,
    });
  }
}

// ELOOP and ENXIO: a link or a socket, neither of which is opened.
const ABSENCES: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'];

/** Whether the file system said that no such file is there. */
export function isAbsence(error: unknown): boolean {
  return ABSENCES.includes(errorCode(error));
}
