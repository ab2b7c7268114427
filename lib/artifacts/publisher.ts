import type { VerifiedImage } from '../images/image.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { PublicationTarget } from './artifact-names.ts';
import type { ArtifactRecord, ArtifactStore } from './artifact-store-port.ts';
import { createNameClaims, type NameClaim, type NameClaims } from './name-claims.ts';

interface Deps {
  readonly store: ArtifactStore;
  readonly files: ArtifactFiles;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly clock: Clock;
}

/** A picture that lies under its name and belongs to nobody yet: commit or discard it. */
export interface PendingPublication {
  readonly record: ArtifactRecord;
}

export type Publisher = ReturnType<typeof createPublisher>;

/** Puts verified pictures under their names, so that a crash at any moment leaves neither half a file nor half a fact. */
export function createPublisher(deps: Deps) {
  const names = createNameClaims(deps);

  return {
    /**
     * Resolves when every picture lies durably under its name; nobody can fetch one before `commit`. All or none: a
     * failure or an abort leaves no file. Throws `artifact_exists`, `artifact`, `overloaded`, or the signal's reason.
     */
    async publish(
      scope: string,
      pictures: readonly { readonly image: VerifiedImage }[],
      target: PublicationTarget,
      signal: AbortSignal,
    ): Promise<readonly PendingPublication[]> {
      signal.throwIfAborted();
      const outcomes = await Promise.allSettled(
        pictures.map(async ({ image }) => {
          const draft = toDraft(deps, scope, image);
          return { image, claim: await names.claim(draft, target) };
        }),
      );
      const begun = outcomes.flatMap((outcome) =>
        outcome.status === 'fulfilled' ? [outcome.value] : [],
      );
      try {
        throwFirstRejection(outcomes);
        await layDown(deps.files, names, begun, signal);
        return begun.map(({ claim }) => ({ record: claim.record }));
      } catch (failure) {
        // What cannot be removed now keeps its intent, and `recover` removes it at the next start.
        await withdraw(deps, toRecords(begun)).catch(() => undefined);
        throw failure;
      }
    },

    /** Makes them their scope's artifacts, all in one transaction. Throws `artifact` when one is not pending, `overloaded`. */
    async commit(publications: readonly PendingPublication[]): Promise<void> {
      await deps.store.publish(publications.map(({ record }) => record.id));
    },

    /** Removes the files, then forgets them; what fails is left to `recover`. Throws `artifact`, `overloaded`. */
    async discard(publications: readonly PendingPublication[]): Promise<void> {
      await withdraw(
        deps,
        publications.map(({ record }) => record),
      );
    },

    /**
     * Removes what publications that were never committed left behind, and nothing else. For start-up only, while no
     * publication runs. Throws `artifact`, `overloaded`.
     */
    async recover(): Promise<void> {
      await withdraw(deps, await deps.store.listPending());
    },
  };
}

/** A picture on its way to its name, which may change until it lies there. */
interface Begun {
  readonly image: VerifiedImage;
  claim: NameClaim;
}

function toDraft(
  { ids, clock }: Deps,
  scope: string,
  image: VerifiedImage,
): Omit<ArtifactRecord, 'name'> {
  const { format, width, height, sha256 } = image;
  const bytes = image.bytes.byteLength;
  const createdSecs = nowSecs(clock);
  return { id: ids.newOpaqueId(), scope, format, width, height, bytes, sha256, createdSecs };
}

async function layDown(
  files: ArtifactFiles,
  names: NameClaims,
  begun: readonly Begun[],
  signal: AbortSignal,
): Promise<void> {
  // One file after the other: a sync holds one of the few threads that every other file operation waits for.
  for (const picture of begun) {
    signal.throwIfAborted();
    await files.stage(picture.claim.record.id, picture.image.bytes);
  }
  for (const picture of begun) {
    signal.throwIfAborted();
    while (!(await files.publish(picture.claim.record.id, picture.claim.record.name))) {
      picture.claim = await names.moveOn(picture.claim);
    }
  }
  await files.settle(toRecords(begun));
  signal.throwIfAborted();
}

function toRecords(begun: readonly Begun[]): readonly ArtifactRecord[] {
  return begun.map(({ claim }) => claim.record);
}

/** What can be removed is removed, whatever fails beside it. An intent goes after its file, or a crash between would hide the file for ever. */
async function withdraw(
  { store, files }: Pick<Deps, 'store' | 'files'>,
  records: readonly ArtifactRecord[],
): Promise<void> {
  const removals = await Promise.allSettled(records.map((record) => files.remove(record)));
  const removed = records.filter((_, index) => removals[index]?.status === 'fulfilled');
  if (removed.length > 0) await store.discard(removed.map(({ id }) => id));
  throwFirstRejection(removals);
}

function throwFirstRejection(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
