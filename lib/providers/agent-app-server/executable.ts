import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/**
 * Resolves with the file that starts the agent: `executable` itself if it is a path, else the first file with that name
 * in the folders of `searchPath`. Resolves with undefined if no such file is executable by this process.
 */
export async function findExecutable(
  executable: string,
  searchPath: string | undefined,
): Promise<string | undefined> {
  const candidates = /[\\/]/.test(executable)
    ? [resolve(executable)]
    : (searchPath ?? '')
        .split(delimiter)
        .filter((folder) => folder !== '')
        .map((folder) => resolve(join(folder, executable)));
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
