import { BridgeError } from '../errors/bridge-error.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import { artifactName, type PublicationTarget, takesSuffix } from './artifact-names.ts';
import type { ArtifactRecord, ArtifactStore } from './artifact-store-port.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'claim' | 'rename'>;
  readonly files: Pick<ArtifactFiles, 'isTaken'>;
}

/** An intent that holds a name. */
export interface NameClaim {
  readonly record: ArtifactRecord;
  readonly target: PublicationTarget;
  /** Which of the target's names it is, counted from 1. */
  readonly nth: number;
}

export type NameClaims = ReturnType<typeof createNameClaims>;

// The series grows: one look is enough for a name that nobody has, and a name that thousands have needs few rounds.
const FIRST_SERIES = 4;
const LONGEST_SERIES = 256;
const LAST_SUFFIX = 1_000_000;

/**
 * Finds each publication a name that neither an artifact nor a foreign file has. Both methods throw `artifact_exists`
 * when there is none.
 */
export function createNameClaims({ store, files }: Deps) {
  /** Only names without a file are taken: until ours lies there, an equal foreign one would pass for it. */
  async function firstFree(
    picture: Pick<ArtifactRecord, 'id' | 'format'>,
    target: PublicationTarget,
    from: number,
    take: (names: readonly string[]) => Promise<string | undefined>,
  ): Promise<{ name: string; nth: number }> {
    const last = takesSuffix(target) ? LAST_SUFFIX : 1;
    let length = FIRST_SERIES;
    for (let nth = from; nth <= last; ) {
      const names = Array.from({ length: Math.min(length, last - nth + 1) }, (_, index) =>
        artifactName(target, picture, nth + index),
      );
      const taken = await Promise.all(names.map((name) => files.isTaken(name)));
      const free = names.filter((_, index) => !taken[index]);
      const name = free.length === 0 ? undefined : await take(free);
      if (name !== undefined) return { name, nth: nth + names.indexOf(name) };
      nth += names.length;
      length = Math.min(length * 4, LONGEST_SERIES);
    }
    throw nameTaken(target);
  }

  return {
    /** Notes the intent under the first free name. */
    async claim(
      draft: Omit<ArtifactRecord, 'name'>,
      target: PublicationTarget,
    ): Promise<NameClaim> {
      const free = await firstFree(draft, target, 1, (names) => store.claim(draft, names));
      return { record: { ...draft, name: free.name }, target, nth: free.nth };
    },

    /** Moves the intent to the next free name. */
    async moveOn({ record, target, nth }: NameClaim): Promise<NameClaim> {
      const free = await firstFree(record, target, nth + 1, (names) =>
        store.rename(record.id, names),
      );
      return { record: { ...record, name: free.name }, target, nth: free.nth };
    },
  };
}

function nameTaken({ filename }: PublicationTarget): BridgeError {
  return new BridgeError(
    'artifact_exists',
    'a file of that name exists already',
    filename === undefined ? {} : { param: 'output.filename' },
  );
}
