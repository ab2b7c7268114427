import { type BigIntStats, closeSync, constants, existsSync, lstatSync, openSync } from 'node:fs';
import { errorCode } from './error-code.ts';

/** The permissions of created files and folders: access only for their owner. */
export const OWNER_FILE = 0o600;
export const OWNER_FOLDER = 0o700;

const OF_OTHERS = 0o077n;

/** Returns true if only its owner can access a file. */
export function isOwnerOnly({ mode }: BigIntStats): boolean {
  return (mode & OF_OTHERS) === 0n;
}

/** The flags that create a file and fail if the name exists, even as a link. */
export const CREATE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Creates an empty file that only its owner can access. An existing file is unchanged and not opened, because closing the file
 * would release locks that this process holds on it. Throws if the name is a dangling link, because the next program that opens
 * the link would create its target.
 */
export function createOwnerFile(path: string): void {
  try {
    closeSync(openSync(path, CREATE_FLAGS, OWNER_FILE));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    if (lstatSync(path).isSymbolicLink() && !existsSync(path)) {
      throw new Error('the file is a dangling link', { cause: error });
    }
  }
}
