import { statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { isTaken } from '../is-taken.ts';

type OutputFormat = 'png' | 'jpeg' | 'webp';

/** Where images are written. */
export interface OutputPlace {
  /** The format that the name of the file asks for. */
  readonly format: OutputFormat | undefined;
  /** The path of one of `count` images; `name` is the artifact's. */
  pathOf(image: { readonly name: string; readonly index: number }, count: number): string;
}

const FORMATS: Readonly<Record<string, OutputFormat>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
};

/** `output` is a file, a folder (it exists, or ends in a slash), or undefined for the folder `cwd`. */
export function toOutputPlace(output: string | undefined, cwd: string): OutputPlace {
  if (output === undefined || isFolder(output, cwd)) {
    const folder = resolve(cwd, output ?? '');
    return { format: undefined, pathOf: ({ name }) => join(folder, basename(name)) };
  }
  const path = resolve(cwd, output);
  const extension = extname(path);
  const format = FORMATS[extension.toLowerCase()];
  const stem = format === undefined ? path : path.slice(0, -extension.length);
  return {
    format,
    pathOf({ name, index }, count) {
      const end = format === undefined ? extname(name) : extension;
      return count === 1 ? `${stem}${end}` : `${stem}-${index + 1}${end}`;
    },
  };
}

/** The path itself, or with a number where it is taken. */
export function freePath(path: string): string {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  let free = path;
  for (let number = 2; isTaken(free); number += 1) free = `${stem}-${number}${extension}`;
  return free;
}

function isFolder(output: string, cwd: string): boolean {
  if (output.endsWith('/')) return true;
  return statSync(resolve(cwd, output), { throwIfNoEntry: false })?.isDirectory() ?? false;
}
