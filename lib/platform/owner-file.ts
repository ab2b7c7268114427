import { closeSync, constants, existsSync, lstatSync, openSync, writeFileSync } from 'node:fs';
import { errorCode } from './error-code.ts';

/** The rights of what the program makes: for its owner alone. */
export const OWNER_FILE = 0o600;
export const OWNER_FOLDER = 0o700;

/** Never an existing file, and never the target of a link. */
export const CREATE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Creates the empty file for its owner alone. One that exists is left alone and not opened: closing it would release a lock
 * on it. Throws if the name is a link to nothing, because the next program that opens it would create the target.
 */
export function createOwnerFile(path: string): void {
  try {
    closeSync(openSync(path, CREATE_FLAGS, OWNER_FILE));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    if (lstatSync(path).isSymbolicLink() && !existsSync(path)) {
      throw new Error('the file is a link that leads nowhere', { cause: error });
    }
  }
}

/** Writes a new file for its owner alone. Throws if there is anything of that name, a link included. */
export function writeOwnerFile(path: string, text: string): void {
  const file = openSync(path, CREATE_FLAGS, OWNER_FILE);
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}
