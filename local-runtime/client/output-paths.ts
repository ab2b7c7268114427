import { statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { isTaken } from '../is-taken.ts';

type OutputFormat = 'png' | 'jpeg' | 'webp';

/** As a file: standard output, or standard input. */
export const STANDARD = '-';

/** Where images are written. */
export interface OutputPlace {
  /** The format that the name of the file asks for. */
  readonly format: OutputFormat | undefined;
  /** The path of one of `count` images; `name` is the artifact's. */
  pathOf(image: { readonly name: string; readonly index: number }, count: number): string;
  /** True if the image goes to standard output. */
  readonly isStandard: boolean;
}

const FORMATS: Readonly<Record<string, OutputFormat>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
};

// An image is never written under the name of a format that it does not have.
const OTHER_FORMATS = /\.(avif|bmp|gif|hei[cf]|ico|jp2|jxl|pdf|psd|raw|svg|tga|tiff?)$/i;

/** Returns true for a file name that asks for a format which no service makes. */
export function isOfOtherFormat(output: string): boolean {
  return OTHER_FORMATS.test(output);
}

/** `output` is a file, a folder (it exists, or ends in a slash), or undefined for the folder `cwd`. */
export function toOutputPlace(output: string | undefined, cwd: string): OutputPlace {
  if (output === undefined || isFolder(output, cwd)) {
    const folder = resolve(cwd, output ?? '');
    const pathOf = ({ name }: { readonly name: string }) => join(folder, basename(name));
    return { format: undefined, pathOf, isStandard: false };
  }
  const path = resolve(cwd, output);
  const extension = extname(path);
  const format = FORMATS[extension.toLowerCase()];
  const stem = format === undefined ? path : path.slice(0, -extension.length);
  return {
    format,
    isStandard: output === STANDARD,
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
