import type { Provenance } from '../contract/reply/provenance.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { VerifiedInParts } from '../images/image.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import {
  type ArtifactDraft,
  createNameClaims,
  type NameClaim,
  type NameClaims,
  type OwnerFolder,
  type PublicationTarget,
  type PublishedForm,
  withinFolder,
} from './artifact-names.ts';
import type { ArtifactRoot } from './artifact-root.ts';
import type { ArtifactRecord, ArtifactStore, JobOutput } from './artifact-store-port.ts';
import {
  createPatience,
  isUnavailable,
  type Outlast,
  toPatientFiles,
  toPatientNames,
} from './patience.ts';
import {
  imageFile,
  isComplete,
  publishedFiles,
  removeFiles,
  sha256Of,
  sidecarFile,
  throwFirstRejection,
} from './published-files.ts';

interface Deps {
  readonly store: ArtifactStore;
  readonly files: ArtifactFiles;
  readonly artifactRoot: Pick<ArtifactRoot, 'prepare' | 'refuseBroken' | 'noteFailure'>;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly clock: Clock;
  /** Assigns folders to scopes. Without this function, the images of all scopes are in the root. Returns undefined for the root. */
  readonly ownerFolder?: OwnerFolder | undefined;
  /** Maximum length of all images that wait in memory while the store of the files is unavailable. 256 MiB by default. */
  readonly maxWaitingBytes?: number;
}

// The number of intents that are taken over at the same time.
const INTENTS = 256;

/** An image to publish, and its sidecar. */
export interface Publishable {
  readonly image: VerifiedInParts;
  /** Content of the metadata file. */
  readonly sidecar?: Buffer | undefined;
  readonly provenance?: Provenance | undefined;
  /** Link to the job that produced the image. */
  readonly output?: JobOutput | undefined;
}

/** A published image that nobody can fetch yet. The publication must be committed or discarded. */
export interface PendingPublication {
  readonly record: ArtifactRecord;
}

/** The limits of a commit that waits for a state store that is unavailable. */
export interface CommitWait {
  /** Aborts when nobody waits for the images any longer. */
  readonly until: AbortSignal;
  /** Maximum wait in milliseconds. */
  readonly forMs: number;
}

export type Publisher = ReturnType<typeof createPublisher>;

/** Creates the functions that publish verified images. After a crash at any moment, no image is published partly. */
export function createPublisher(deps: Deps) {
  const { store, files, clock, artifactRoot, maxWaitingBytes } = deps;
  const withdrawals = createWithdrawals(deps);
  const onFailure = artifactRoot.noteFailure;
  const patienceFor = createPatience({ clock, onFailure, maxWaitingBytes });

  /**
   * Probes the store of the files immediately after a failure, because the bridge must report that it is not ready before the
   * next image is paid for.
   */
  async function noteFailure(failure: unknown, images: readonly Publishable[]): Promise<void> {
    const isOfFiles = failure instanceof BridgeError && failure.code === 'artifact';
    if (isOfFiles || isUnavailable(failure)) {
      await artifactRoot.noteFailure(Math.max(0, ...images.map(lengthOf)));
    }
  }

  return {
    ...createRefusals(deps),

    /**
     * Publishes either all images or none: after a failure or an abort, the published files are removed. Resolves when every
     * image and every sidecar is durable under its name. The images cannot be fetched before `commit`. Throws `artifact_exists`
     * if a name is taken, `artifact` if a file cannot be written, `overloaded` if the store fails, or the reason of the signal.
     * While a store is unavailable, the images wait in memory and are tried again until `until` aborts.
     */
    async publish(
      scope: string,
      images: readonly Publishable[],
      target: PublicationTarget,
      signal: AbortSignal,
      until = signal,
    ): Promise<readonly PendingPublication[]> {
      signal.throwIfAborted();
      const totalBytes = images.reduce((sum, image) => sum + lengthOf(image), 0);
      const outlast = patienceFor(totalBytes, until);
      const patientFiles = toPatientFiles(files, outlast);
      const names = createNameClaims({
        store: toPatientNames(store, outlast),
        files: patientFiles,
      });
      // The folder is created first, so that from here on it is missing only if it was removed from outside.
      await outlast(artifactRoot.prepare).catch(async (failure) => {
        await noteFailure(failure, images);
        throw failure;
      });
      const ownTarget = withinFolder(target, deps.ownerFolder?.(scope));
      const outcomes = await Promise.allSettled(
        images.map(async (image): Promise<Begun> => {
          // Each try has an id of its own, because the store may still undo a claim that it has rejected.
          const claim = () => names.claim(toDraft(deps, scope, image), ownTarget, image.output);
          return { image, claim: await outlast(claim) };
        }),
      );
      const begun = outcomes.flatMap(fulfilledValue);
      try {
        throwFirstRejection(outcomes);
        await writeFiles(patientFiles, names, begun, signal);
        return begun.map(({ claim }) => ({ record: claim.record }));
      } catch (failure) {
        // A file that cannot be removed now keeps its intent, and `recover` removes it later.
        await withdrawals.withdraw(toRecords(begun)).catch(() => undefined);
        await noteFailure(failure, images);
        throw failure;
      }
    },

    /**
     * Turns publications into artifacts of their scope, all in one transaction. While the state store is unavailable, tries again
     * as long as `wait` permits; without `wait`, tries once. Throws `artifact` if a publication is not pending, and `overloaded` if
     * the store fails.
     */
    async commit(publications: readonly PendingPublication[], wait?: CommitWait): Promise<void> {
      // The files are complete, so no image waits in memory.
      const outlast = wait && patienceFor(0, wait.until, wait.forMs);
      await commitAll(store, publications, outlast);
    },

    /**
     * Removes the files of publications, then their intents. Files that cannot be removed now are removed by `recover` later.
     * Ignores a publication that is committed or belongs to another process, because its files must stay. If another process has
     * removed the intent meanwhile, removes the files too. Throws `artifact` if a file cannot be removed, and `overloaded` if the
     * store fails.
     */
    async discard(publications: readonly PendingPublication[]): Promise<void> {
      await withdrawals.withdraw(publications.map(({ record }) => record));
    },

    /**
     * Makes publications of ended processes durable if all of their files are complete, and resolves with the ids of these
     * publications. Resolves with all ids if the folder is missing or the store of the files is unavailable, because files that
     * cannot be read may be complete.
     */
    async finish(records: readonly ArtifactRecord[]): Promise<readonly string[]> {
      try {
        if (records.length > 0 && !(await files.isMissing()))
          return await settleComplete(files, records);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
      }
      return records.map(({ id }) => id);
    },

    /**
     * Removes only the remains of uncommitted publications: publications of processes that have ended, and publications whose
     * removal has failed before. Throws `artifact` if a file cannot be removed now, and `overloaded` if the store fails.
     */
    async recover(): Promise<void> {
      const failures: unknown[] = [];
      let taken: readonly ArtifactRecord[] = [];
      do {
        taken = await store.takeAbandoned({ after: taken.at(-1)?.id ?? '', limit: INTENTS });
        // A file that cannot be removed must not keep the files behind it.
        await withdrawals.withdrawAgain(taken).catch((failure) => failures.push(failure));
      } while (taken.length === INTENTS);
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Creates the checks that must be called before the bridge pays for images that will be published. */
function createRefusals({ store, files, artifactRoot, ownerFolder }: Deps) {
  const names = createNameClaims({ store, files });
  return {
    /** Checks the folder, as `ArtifactRoot` describes. */
    refuseBroken: artifactRoot.refuseBroken,

    /**
     * Throws `artifact_exists` if the requested name of an image is taken now. The name may still be taken later, so `publish`
     * decides.
     */
    refuseTaken: (scope: string, target: PublicationTarget, form: PublishedForm): Promise<void> =>
      names.refuseTaken(withinFolder(target, ownerFolder?.(scope)), form),
  };
}

/**
 * Turns publications into artifacts. Before a repetition, looks for the artifacts, because an earlier try may have been committed
 * although its reply was lost.
 */
async function commitAll(
  store: Pick<ArtifactStore, 'publish' | 'find'>,
  publications: readonly PendingPublication[],
  outlast: Outlast = (work) => work(),
): Promise<void> {
  const records = publications.map(({ record }) => record);
  let isRepeated = false;
  await outlast(async () => {
    if (isRepeated) {
      const found = await Promise.all(records.map(({ scope, id }) => store.find(scope, id)));
      if (found.every((record) => record !== undefined)) return;
    }
    isRepeated = true;
    await store.publish(records.map(({ id }) => id));
  });
}

/** An image that is being published. Its name may change until the file has the name. */
interface Begun {
  readonly image: Publishable;
  claim: NameClaim;
}

function fulfilledValue<T>(outcome: PromiseSettledResult<T>): readonly T[] {
  return outcome.status === 'fulfilled' ? [outcome.value] : [];
}

/** Settles the publications whose files are all complete. Resolves with their ids. */
async function settleComplete(
  files: ArtifactFiles,
  records: readonly ArtifactRecord[],
): Promise<readonly string[]> {
  const finished: string[] = [];
  for (const record of records) {
    if (!(await isComplete(files, record))) continue;
    await files.settle(publishedFiles(record));
    finished.push(record.id);
  }
  return finished;
}

function lengthOf({ image, sidecar }: Publishable): number {
  return image.bytes.length + (sidecar?.length ?? 0);
}

function toDraft(
  { ids, clock }: Deps,
  scope: string,
  { image, sidecar, provenance }: Publishable,
): ArtifactDraft {
  const { format, width, height, sha256 } = image;
  const bytes = image.bytes.length;
  const facts = { scope, format, width, height, bytes, sha256, createdSecs: nowSecs(clock) };
  const beside = sidecar && { bytes: sidecar.byteLength, sha256: sha256Of(sidecar) };
  return {
    id: ids.newOpaqueId(),
    ...facts,
    ...(beside && { sidecar: beside }),
    ...(provenance && { provenance }),
  };
}

async function writeFiles(
  files: ArtifactFiles,
  names: NameClaims,
  begun: readonly Begun[],
  signal: AbortSignal,
): Promise<void> {
  // One file after the other, because a sync occupies one of the few threads that all file operations share.
  for (const one of begun) {
    signal.throwIfAborted();
    await files.stage(imageFile(one.claim.record).id, ...one.image.image.bytes.parts);
    await stageSidecar(files, one);
  }
  for (const one of begun) {
    signal.throwIfAborted();
    while (!(await takeNames(files, one))) one.claim = await names.moveOn(one.claim);
  }
  await files.settle(toRecords(begun).flatMap(publishedFiles));
  signal.throwIfAborted();
}

async function stageSidecar(files: ArtifactFiles, { image, claim }: Begun): Promise<void> {
  const file = sidecarFile(claim.record);
  if (file && image.sidecar) await files.stage(file.id, image.sidecar);
}

/**
 * Gives both files their names, or neither file. The sidecar gets its name first, so that a program that watches the folder for
 * images finds the sidecar beside the image.
 */
async function takeNames(files: ArtifactFiles, begun: Begun): Promise<boolean> {
  const { record } = begun.claim;
  const sidecar = sidecarFile(record);
  if (sidecar && !(await files.publish(sidecar.id, sidecar.name))) return false;
  if (await files.publish(record.id, record.name)) return true;
  if (sidecar) {
    await files.remove(sidecar);
    await stageSidecar(files, begun);
  }
  return false;
}

function toRecords(begun: readonly Begun[]): readonly ArtifactRecord[] {
  return begun.map(({ claim }) => claim.record);
}

function createWithdrawals({ store, files }: Pick<Deps, 'store' | 'files'>) {
  // Records of intents that this process still has because the store failed. `takeAbandoned` does not return these records.
  let unreleased: readonly ArtifactRecord[] = [];

  /**
   * Runs a call of the store about these intents. If the call fails, keeps the records for the next attempt and rejects. Resolves
   * with undefined if there are no records.
   */
  async function attempt<T>(
    records: readonly ArtifactRecord[],
    call: (ids: readonly string[]) => Promise<T>,
  ): Promise<T | undefined> {
    if (records.length === 0) return undefined;
    try {
      return await call(records.map(({ id }) => id));
    } catch (failure) {
      unreleased = [...unreleased, ...records];
      throw failure;
    }
  }

  /**
   * Resolves with the records that no longer have an intent or an artifact: another process has taken them over and removed them,
   * for example while the machine of this process was paused. Files that this process has written since then would never be
   * removed.
   */
  async function findForgotten(
    records: readonly ArtifactRecord[],
  ): Promise<readonly ArtifactRecord[]> {
    if (records.length === 0) return [];
    const known = await store.findNames(records.map(({ name }) => name));
    return records.filter(({ name }) => !known.has(name));
  }

  /**
   * Removes the files of intents of this process. If one removal fails, the other files are removed anyway. An intent is removed
   * after its files, because without the intent a file would remain after a crash.
   */
  async function withdraw(records: readonly ArtifactRecord[]): Promise<void> {
    const ownIds = new Set(await attempt(records, store.findOwnIntents));
    const own = records.filter(({ id }) => ownIds.has(id));
    const removals = await Promise.allSettled(own.map((record) => removeFiles(files, record)));
    const removed = own.filter((_, index) => removals[index]?.status === 'fulfilled');
    const kept = own.filter((_, index) => removals[index]?.status === 'rejected');
    const writes = [attempt(removed, store.discard), attempt(kept, store.abandon)];
    throwFirstRejection(await Promise.allSettled(writes));
    throwFirstRejection(removals);
    const forgotten = await findForgotten(records.filter(({ id }) => !ownIds.has(id)));
    throwFirstRejection(
      await Promise.allSettled(forgotten.map((record) => removeFiles(files, record))),
    );
  }

  return {
    withdraw,

    /** Withdraws these publications, and all publications whose intents could not be released before. */
    withdrawAgain(records: readonly ArtifactRecord[]): Promise<void> {
      const all = [...unreleased, ...records];
      unreleased = [];
      return withdraw(all);
    },
  };
}
