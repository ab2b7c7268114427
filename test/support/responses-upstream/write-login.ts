import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isEmulated } from './jwt.ts';

/** Writes an `auth.json` into this folder atomically. Only its owner can read the file. */
export async function writeLogin(home: string, content: string): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const file = join(home, 'auth.json');
  const temporary = `${file}.new`;
  await writeFile(temporary, content, { mode: 0o600 });
  await rename(temporary, file);
}

/** Resolves with true if the folder contains a login of another program, which must not be overwritten. */
export async function holdsForeignLogin(home: string): Promise<boolean> {
  const text = await readFile(join(home, 'auth.json'), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return false;
  try {
    return !isEmulated(JSON.parse(text)?.tokens?.access_token);
  } catch {
    return true;
  }
}
