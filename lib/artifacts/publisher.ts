import { BridgeError } from '../errors/bridge-error.ts';
import type { VerifiedImage } from '../images/image.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import { type PublicationTarget, withinFolder } from './artifact-names.ts';
import type { ArtifactRoot } from './artifact-root.ts';
import type { ArtifactRecord, ArtifactStore, JobOutput } from './artifact-store-port.ts';
import { isComplete, sha256Of } from './complete-publication.ts';
import {
  type ArtifactDraft,
  createNameClaims,
  type NameClaim,
  type NameClaims,
} from './name-claims.ts';
import type { OwnerFolder } from './owner-folder.ts';
import { imageFile, publishedFiles, sidecarFile } from './published-files.ts';
import { removeFiles, throwFirstRejection } from './remove-files.ts';

interface Deps {
  readonly store: ArtifactStore;
  readonly files: ArtifactFiles;
  readonly artifactRoot: Pick<ArtifactRoot, 'prepare' | 'refuseBroken' | 'noteFailure'>;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly clock: Clock;
  /** Without it, the images of all scopes lie in the root. */
  readonly ownerFolder?: OwnerFolder | undefined;
}

/** What is published under one name: an image, and the file beside it. */
export interface Publishable {
  readonly image: VerifiedImage;
  /** The content of its metadata file. */
  readonly sidecar?: Buffer | undefined;
  /** The output of a job that it is. */
  readonly output?: JobOutput | undefined;
}

/** An image that has its name and no owner yet: commit or discard it. */
export interface PendingPublication {
  readonly record: ArtifactRecord;
}

export type Publisher = ReturnType<typeof createPublisher>;

/** Publishes verified images under their names. A crash at any moment leaves no partial file and no partial record. */
export function createPublisher(deps: Deps) {
  const names = createNameClaims(deps);
  const withdrawals = createWithdrawals(deps);

  /** The folder is tried again at once: readiness must be off before the next image is paid for. */
  async function noteFailure(failure: unknown, images: readonly Publishable[]): Promise<void> {
    if (!(failure instanceof BridgeError && failure.code === 'artifact')) return;
    const bytes = images.map(({ image, sidecar }) => image.bytes.length + (sidecar?.length ?? 0));
    await deps.artifactRoot.noteFailure(Math.max(0, ...bytes));
  }

  return {
    /**
     * To be called before images are paid for that are to be published. Throws `artifact` while the folder is known to be
     * missing or not writable, `overloaded`.
     */
    refuseBroken: deps.artifactRoot.refuseBroken,

    /**
     * Resolves when every image and every sidecar is durable under its name. None can be fetched before `commit`. All or
     * none: a failure or an abort leaves no file. Throws `artifact_exists`, `artifact`, `overloaded`, or the signal's reason.
     */
    async publish(
      scope: string,
      images: readonly Publishable[],
      target: PublicationTarget,
      signal: AbortSignal,
    ): Promise<readonly PendingPublication[]> {
      signal.throwIfAborted();
      // First: from then on the folder is missing only when it was removed from outside.
      await deps.artifactRoot.prepare().catch(async (failure) => {
        await noteFailure(failure, images);
        throw failure;
      });
      const ownTarget = withinFolder(target, deps.ownerFolder?.(scope));
      const outcomes = await Promise.allSettled(
        images.map(async (image): Promise<Begun> => {
          const draft = toDraft(deps, scope, image);
          return { image, claim: await names.claim(draft, ownTarget, image.output) };
        }),
      );
      const begun = outcomes.flatMap((outcome) =>
        outcome.status === 'fulfilled' ? [outcome.value] : [],
      );
      try {
        throwFirstRejection(outcomes);
        await writeFiles(deps.files, names, begun, signal);
        return begun.map(({ claim }) => ({ record: claim.record }));
      } catch (failure) {
        // What cannot be removed now keeps its intent, and `recover` removes it later.
        await withdrawals.withdraw(toRecords(begun)).catch(() => undefined);
        await noteFailure(failure, images);
        throw failure;
      }
    },

    /** Makes them their scope's artifacts, all in one transaction. Throws `artifact` when one is not pending, `overloaded`. */
    async commit(publications: readonly PendingPublication[]): Promise<void> {
      await deps.store.publish(publications.map(({ record }) => record.id));
    },

    /** Removes the files, then forgets them; what fails is left to `recover`. Throws `artifact`, `overloaded`. */
    async discard(publications: readonly PendingPublication[]): Promise<void> {
      await withdrawals.withdraw(publications.map(({ record }) => record));
    },

    /**
     * Makes publications of processes that have ended durable, as far as all of their files are complete. Resolves with the ids
     * of those that are; of all of them while the folder is missing, because what cannot be read may be complete.
     */
    async finish(records: readonly ArtifactRecord[]): Promise<readonly string[]> {
      if (records.length === 0 || (await deps.files.isMissing())) {
        return records.map(({ id }) => id);
      }
      const finished: string[] = [];
      for (const record of records) {
        if (!(await isComplete(deps.files, record))) continue;
        await deps.files.settle(publishedFiles(record));
        finished.push(record.id);
      }
      return finished;
    },

    /**
     * Removes what is left of publications that were never committed, by processes that have ended or by a `discard` that
     * failed, and nothing else. Throws `artifact` when a file cannot be removed now, `overloaded`.
     */
    async recover(): Promise<void> {
      await withdrawals.withdrawAgain(await deps.store.adopt(nowSecs(deps.clock)));
    },
  };
}

/** An image that is being published. Its name may change until the file has it. */
interface Begun {
  readonly image: Publishable;
  claim: NameClaim;
}

function toDraft(
  { ids, clock }: Deps,
  scope: string,
  { image, sidecar }: Publishable,
): ArtifactDraft {
  const { format, width, height, sha256 } = image;
  const bytes = image.bytes.byteLength;
  const createdSecs = nowSecs(clock);
  return {
    id: ids.newOpaqueId(),
    scope,
    format,
    width,
    height,
    bytes,
    sha256,
    createdSecs,
    ...(sidecar && { sidecar: { bytes: sidecar.byteLength, sha256: sha256Of(sidecar) } }),
  };
}

async function writeFiles(
  files: ArtifactFiles,
  names: NameClaims,
  begun: readonly Begun[],
  signal: AbortSignal,
): Promise<void> {
  // One file after the other: a sync holds one of the few threads that every other file operation waits for.
  for (const { image, claim } of begun) {
    signal.throwIfAborted();
    await files.stage(imageFile(claim.record).id, image.image.bytes);
    await stageSidecar(files, image, claim);
  }
  for (const one of begun) {
    signal.throwIfAborted();
    while (!(await takeNames(files, one))) one.claim = await names.moveOn(one.claim);
  }
  await files.settle(toRecords(begun).flatMap(publishedFiles));
  signal.throwIfAborted();
}

async function stageSidecar(
  files: ArtifactFiles,
  image: Publishable,
  { record }: NameClaim,
): Promise<void> {
  const file = sidecarFile(record);
  if (file && image.sidecar) await files.stage(file.id, image.sidecar);
}

/** Both names or none. The sidecar's first: a program that watches the folder for images then finds it beside them. */
async function takeNames(files: ArtifactFiles, { image, claim }: Begun): Promise<boolean> {
  const file = imageFile(claim.record);
  const sidecar = sidecarFile(claim.record);
  if (sidecar && !(await files.publish(sidecar.id, sidecar.name))) return false;
  if (await files.publish(file.id, file.name)) return true;
  if (sidecar) {
    await files.remove(sidecar);
    await stageSidecar(files, image, claim);
  }
  return false;
}

function toRecords(begun: readonly Begun[]): readonly ArtifactRecord[] {
  return begun.map(({ claim }) => claim.record);
}

function createWithdrawals({ store, files }: Pick<Deps, 'store' | 'files'>) {
  // Their intents still belong to this process, and `adopt` takes only those that do not.
  let refused: readonly ArtifactRecord[] = [];

  async function giveUp(
    records: readonly ArtifactRecord[],
    write: ArtifactStore['discard'],
  ): Promise<void> {
    if (records.length === 0) return;
    try {
      await write(records.map(({ id }) => id));
    } catch (refusal) {
      refused = [...refused, ...records];
      throw refusal;
    }
  }

  /** Removes what can be removed, whatever fails beside it. The intent goes last: without it a crash would leave a file for ever. */
  async function withdraw(records: readonly ArtifactRecord[]): Promise<void> {
    const removals = await Promise.allSettled(records.map((record) => removeFiles(files, record)));
    const removed = records.filter((_, index) => removals[index]?.status === 'fulfilled');
    const kept = records.filter((_, index) => removals[index]?.status === 'rejected');
    const writes = [giveUp(removed, store.discard), giveUp(kept, store.abandon)];
    throwFirstRejection(await Promise.allSettled(writes));
    throwFirstRejection(removals);
  }

  return {
    withdraw,

    /** These, and all whose intents the store has refused to give up before. */
    withdrawAgain(records: readonly ArtifactRecord[]): Promise<void> {
      const all = [...refused, ...records];
      refused = [];
      return withdraw(all);
    },
  };
}
