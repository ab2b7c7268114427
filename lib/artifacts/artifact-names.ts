import { createHash } from 'node:crypto';
import { formatOfExtension } from '../contract/request/output.ts';
import type { OutputFormat } from '../contract/request/parameters.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type {
  ArtifactRecord,
  ArtifactStore,
  JobOutput,
  SidecarRecord,
} from './artifact-store-port.ts';
import { publishedFiles } from './published-files.ts';

/** The path fields of `output` in a request. Request validation has checked them. */
export interface PublicationTarget {
  readonly directory?: string | undefined;
  /** Exact file name, for a request for a single image. */
  readonly filename?: string | undefined;
  readonly filename_prefix?: string | undefined;
  readonly collision: 'error' | 'suffix';
}

const EXTENSIONS: Readonly<Record<OutputFormat, string>> = {
  png: '.png',
  jpeg: '.jpg',
  webp: '.webp',
};

/** Returns the target below `folder`. */
export function withinFolder(
  target: PublicationTarget,
  folder: string | undefined,
): PublicationTarget {
  if (folder === undefined) return target;
  const { directory } = target;
  return { ...target, directory: directory === undefined ? folder : `${folder}/${directory}` };
}

/**
 * Returns the `nth` name to try for an image, relative to the artifact root. Names are counted from 1: first the requested
 * name, then names with `-2`, `-3` and so on before the extension (docs/contract.md, section 1, `output`).
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

/** Returns true if another name may be tried when the requested name is taken. */
export function takesSuffix({ collision, filename }: PublicationTarget): boolean {
  return collision === 'suffix' && filename !== undefined;
}

/** Returns the name of the metadata file beside an image: `a.json` for `a.png`. The name of an image always has an extension. */
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
  // Normalization may change the format after the filename was chosen, and the extension must match the bytes.
  return { stem: filename.slice(0, dot), extension: named === format ? filename.slice(dot) : ours };
}

/** Returns the folder below the artifact root for the images of a scope, or undefined for the root itself. */
export type OwnerFolder = (scope: string) => string | undefined;

/**
 * Creates the function that assigns each scope its folder. Scopes have separate folders, so that a taken name never reveals an
 * image of another token. Callers without a named token use the root. The folder name is a digest because a scope may contain
 * characters that a file name must not contain.
 */
export function createOwnerFolder(rootScope: string): OwnerFolder {
  return (scope) => {
    if (scope === rootScope) return undefined;
    return `owner-${createHash('sha256').update(scope).digest('hex').slice(0, 16)}`;
  };
}

interface Deps {
  readonly store: Pick<ArtifactStore, 'claim' | 'rename' | 'findNames'>;
  readonly files: Pick<ArtifactFiles, 'findTaken'>;
}

/** The record of an image that has no name yet. */
export interface ArtifactDraft extends Omit<ArtifactRecord, 'name' | 'sidecar'> {
  readonly sidecar?: Omit<SidecarRecord, 'name'>;
}

/** An intent with its claimed name. */
export interface NameClaim {
  readonly record: ArtifactRecord;
  readonly target: PublicationTarget;
  /** Number of the name among the possible names for the target, counted from 1. */
  readonly nth: number;
}

export type NameClaims = ReturnType<typeof createNameClaims>;

// The number of names per lookup grows. A free name needs one lookup, and a name with thousands of taken suffixes needs only a
// few lookups.
const FIRST_SERIES = 4;
const LONGEST_SERIES = 256;
const LAST_SUFFIX = 1_000_000;

/** The form in which an image will be published, which determines the names of its files. */
export interface PublishedForm {
  readonly format: OutputFormat;
  readonly hasSidecar: boolean;
}

/**
 * Creates the functions that claim names. No other artifact and no foreign file has a claimed name or the name of its sidecar.
 * All functions throw `artifact_exists` if no name is free.
 */
export function createNameClaims({ store, files }: Deps) {
  /**
   * Claims the first free name. Names of existing files are skipped because an equal foreign file would be mistaken for the
   * published file. A name without a requested file name contains a new random id, which no existing file has.
   */
  async function firstFree(
    image: ArtifactDraft,
    target: PublicationTarget,
    from: number,
    claim: (candidates: readonly ArtifactRecord[]) => Promise<ArtifactRecord | undefined>,
  ): Promise<NameClaim> {
    const last = takesSuffix(target) ? LAST_SUFFIX : 1;
    let length = FIRST_SERIES;
    for (let nth = from; nth <= last; ) {
      const candidates = Array.from({ length: Math.min(length, last - nth + 1) }, (_, index) =>
        underName(image, artifactName(target, image, nth + index)),
      );
      const free = target.filename === undefined ? candidates : await withoutTaken(candidates);
      const record = free.length === 0 ? undefined : await claim(free);
      if (record !== undefined) return { record, target, nth: nth + candidates.indexOf(record) };
      nth += candidates.length;
      length = Math.min(length * 4, LONGEST_SERIES);
    }
    throw nameTaken(target);
  }

  async function withoutTaken(
    candidates: readonly ArtifactRecord[],
  ): Promise<readonly ArtifactRecord[]> {
    const namesOf = (record: ArtifactRecord) => publishedFiles(record).map(({ name }) => name);
    const taken = await files.findTaken(candidates.flatMap(namesOf));
    return candidates.filter((record) => !namesOf(record).some((name) => taken.has(name)));
  }

  return {
    /** Does nothing if the target has more than one possible name, because `claim` then finds a free one. */
    async refuseTaken(
      target: PublicationTarget,
      { format, hasSidecar }: PublishedForm,
    ): Promise<void> {
      if (target.filename === undefined || takesSuffix(target)) return;
      const name = artifactName(target, { id: '', format });
      const names = hasSidecar ? [name, sidecarName(name)] : [name];
      const taken = await Promise.all([store.findNames(names), files.findTaken(names)]);
      if (taken.some(({ size }) => size > 0)) throw nameTaken(target);
    },

    /** Records the intent under the first free name, and the link to the output of its job. */
    claim: (
      draft: ArtifactDraft,
      target: PublicationTarget,
      output?: JobOutput,
    ): Promise<NameClaim> =>
      firstFree(draft, target, 1, (candidates) => store.claim(candidates, output)),

    /** Moves the intent to the next free name. */
    moveOn: ({ record, target, nth }: NameClaim): Promise<NameClaim> =>
      firstFree(record, target, nth + 1, (candidates) => store.rename(candidates)),
  };
}

function nameTaken({ filename }: PublicationTarget): BridgeError {
  const param = filename === undefined ? {} : { param: 'output.filename' };
  return new BridgeError('artifact_exists', 'a file with this name already exists', param);
}

/** Returns the image, and its sidecar if it has one, under this name. */
function underName({ sidecar, ...draft }: ArtifactDraft, name: string): ArtifactRecord {
  const beside = sidecar && { sidecar: { ...sidecar, name: sidecarName(name) } };
  return { ...draft, name, ...beside };
}
