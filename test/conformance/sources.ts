import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One TypeScript file; `path` is relative to the repository, with `/` between its parts. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The folders of the program that exist. */
export const PROGRAM = ['handlers', 'lib', 'local-runtime', 'dashboard'].filter((folder) =>
  existsSync(`${ROOT}${folder}`),
);

/** Every TypeScript file below these folders, in a stable order. */
export function readSources(folders: readonly string[] = PROGRAM): readonly SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name.replaceAll('\\', '/')}`,
      ),
    )
    .filter((path) => /\.(tsx?|mjs)$/.test(path) && !path.includes('/node_modules/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }));
}
