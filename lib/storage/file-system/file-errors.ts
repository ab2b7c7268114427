import { BridgeError } from '../../errors/bridge-error.ts';

const MESSAGES: Readonly<Record<string, string>> = {
  ENOSPC: 'the artifact folder is full',
  EDQUOT: 'the artifact folder is full',
  EFBIG: 'the artifact folder takes no file of that size',
  EACCES: 'the artifact folder refuses access',
  EPERM: 'the artifact folder refuses access or knows no hard links',
  ENOTSUP: 'the artifact folder knows no hard links',
  EOPNOTSUPP: 'the artifact folder knows no hard links',
  EXDEV: 'a folder below the artifact folder lies on another file system',
  EROFS: 'the artifact folder is read-only',
};

/** Resolves as `work` does; what the file system says becomes `artifact`, without the path that its own message names. */
export async function asArtifactError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined || cause instanceof BridgeError) throw cause;
    throw new BridgeError('artifact', MESSAGES[code] ?? 'the artifact folder failed', { cause });
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

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
