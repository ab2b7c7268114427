import { BridgeError } from '../errors/bridge-error.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import {
  artifactName,
  type PublicationTarget,
  sidecarName,
  takesSuffix,
} from './artifact-names.ts';
import type {
  ArtifactRecord,
  ArtifactStore,
  JobOutput,
  SidecarRecord,
} from './artifact-store-port.ts';
import { publishedFiles } from './published-files.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'claim' | 'rename'>;
  readonly files: Pick<ArtifactFiles, 'isTaken'>;
}

/** What is known of an image before it has a name. */
export interface ArtifactDraft extends Omit<ArtifactRecord, 'name' | 'sidecar'> {
  readonly sidecar?: Omit<SidecarRecord, 'name'>;
}

/** An intent that holds a name. */
export interface NameClaim {
  readonly record: ArtifactRecord;
  readonly target: PublicationTarget;
  /** Which of the target's names it is, counted from 1. */
  readonly nth: number;
}

export type NameClaims = ReturnType<typeof createNameClaims>;

// The series grows: one lookup is enough for a free name, and a name with thousands of suffixes needs few rounds.
const FIRST_SERIES = 4;
const LONGEST_SERIES = 256;
const LAST_SUFFIX = 1_000_000;

/**
 * Finds each publication a name that neither an artifact nor a foreign file has, nor its sidecar's. Both methods throw
 * `artifact_exists` when there is none.
 */
export function createNameClaims({ store, files }: Deps) {
  /** Only names without a file are taken: until ours lies there, an equal foreign one would pass for it. */
  async function firstFree(
    image: ArtifactDraft,
    target: PublicationTarget,
    from: number,
    take: (candidates: readonly ArtifactRecord[]) => Promise<ArtifactRecord | undefined>,
  ): Promise<NameClaim> {
    const last = takesSuffix(target) ? LAST_SUFFIX : 1;
    let length = FIRST_SERIES;
    for (let nth = from; nth <= last; ) {
      const candidates = Array.from({ length: Math.min(length, last - nth + 1) }, (_, index) =>
        underName(image, artifactName(target, image, nth + index)),
      );
      const taken = await Promise.all(candidates.map(isTaken));
      const free = candidates.filter((_, index) => !taken[index]);
      const record = free.length === 0 ? undefined : await take(free);
      if (record !== undefined) return { record, target, nth: nth + candidates.indexOf(record) };
      nth += candidates.length;
      length = Math.min(length * 4, LONGEST_SERIES);
    }
    throw nameTaken(target);
  }

  async function isTaken(candidate: ArtifactRecord): Promise<boolean> {
    const names = publishedFiles(candidate).map(({ name }) => name);
    return (await Promise.all(names.map((name) => files.isTaken(name)))).includes(true);
  }

  return {
    /** Notes the intent under the first free name, and the output of a job that it is. */
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

/** The image and its sidecar, if it has one, under this name. */
function underName({ sidecar, ...draft }: ArtifactDraft, name: string): ArtifactRecord {
  const beside = sidecar && { sidecar: { ...sidecar, name: sidecarName(name) } };
  return { ...draft, name, ...beside };
}

function nameTaken({ filename }: PublicationTarget): BridgeError {
  return new BridgeError(
    'artifact_exists',
    'a file of that name exists already',
    filename === undefined ? {} : { param: 'output.filename' },
  );
}
