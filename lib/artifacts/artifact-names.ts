import { formatOfExtension } from '../contract/request/output-names.ts';
import type { OutputFormat } from '../contract/request/parameters.ts';

/** Where an image shall lie: the path controls of a request's `output`, checked by the contract. */
export interface PublicationTarget {
  readonly directory?: string | undefined;
  /** Names one image exactly. */
  readonly filename?: string | undefined;
  readonly filename_prefix?: string | undefined;
  readonly collision: 'error' | 'suffix';
}

const EXTENSIONS: Readonly<Record<OutputFormat, string>> = {
  png: '.png',
  jpeg: '.jpg',
  webp: '.webp',
};

/** The same target below this folder. */
export function withinFolder(
  target: PublicationTarget,
  folder: string | undefined,
): PublicationTarget {
  if (folder === undefined) return target;
  const { directory } = target;
  return { ...target, directory: directory === undefined ? folder : `${folder}/${directory}` };
}

/** Whether a further name may be tried when one is taken. */
export function takesSuffix(target: PublicationTarget): boolean {
  return target.collision === 'suffix' && target.filename !== undefined;
}

/**
 * The `nth` name to try for an image, counted from 1, relative to the artifact root: the name that was asked for, then
 * `-2`, `-3` and so on before the extension (contract.md 1, `output`).
 */
export function artifactName(
  target: PublicationTarget,
  image: { readonly id: string; readonly format: OutputFormat },
  nth = 1,
): string {
  const { stem, extension } = nameParts(target, image);
  const filename = `${stem}${nth === 1 ? '' : `-${nth}`}${extension}`;
  return target.directory === undefined ? filename : `${target.directory}/${filename}`;
}

/** The name of the metadata file beside an image: `a.png` has `a.json`. Every image's name has an extension. */
export function sidecarName(imageName: string): string {
  return `${imageName.slice(0, imageName.lastIndexOf('.'))}.json`;
}

function nameParts(
  { filename, filename_prefix: prefix }: PublicationTarget,
  { id, format }: { readonly id: string; readonly format: OutputFormat },
): { stem: string; extension: string } {
  const ours = EXTENSIONS[format];
  if (filename === undefined) {
    return { stem: prefix === undefined ? id : `${prefix}-${id}`, extension: ours };
  }
  const named = formatOfExtension(filename);
  if (named === undefined) return { stem: filename, extension: ours };
  const dot = filename.lastIndexOf('.');
  // A normalized request may end in another format than its filename says; the name must not lie about the bytes.
  return { stem: filename.slice(0, dot), extension: named === format ? filename.slice(dot) : ours };
}
