import { BridgeError } from '../errors/bridge-error.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactStore } from './artifact-store-port.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'isEmpty'>;
  readonly files: Pick<
    ArtifactFiles,
    'isShared' | 'missingMessage' | 'prepare' | 'isMissing' | 'probe'
  >;
}

export type ArtifactRoot = ReturnType<typeof createArtifactRoot>;

// The size of a usual probe: one block, which is enough to detect a read-only folder or a full disk.
const USUAL_BYTES = 4096;
// The size of an ordinary image. A larger image that does not fit must not block smaller images.
const MAX_TRIAL_BYTES = 4_194_304;

/**
 * Creates the functions that prepare the root of all artifacts before the first artifact and check that the root is writable. A
 * root that is missing later is not mounted, or is in another bucket, and must not be created again.
 */
export function createArtifactRoot({ store, files }: Deps) {
  let wasUsed = false;
  let isLost = false;
  let isUnwritable = false;
  // The next probe is as large as the failed image, because a small file may fit where the image did not.
  let trialBytes = USUAL_BYTES;

  async function findLoss(): Promise<BridgeError | undefined> {
    // The records are read first, because another publication may create the folder between the two reads.
    if (!wasUsed && !(await store.isEmpty())) wasUsed = true;
    const mustExist = wasUsed;
    const isMissing = await files.isMissing();
    if (!isMissing) wasUsed = true;
    isLost = mustExist && isMissing;
    if (!isLost) return undefined;
    return new BridgeError('artifact', files.missingMessage, {
      details: { reason: 'artifact_folder_unusable' },
    });
  }

  async function probeOnce(): Promise<void> {
    try {
      const loss = await findLoss();
      if (loss) throw loss;
      await files.probe(trialBytes);
    } catch (error) {
      isUnwritable = true;
      throw error;
    }
    isUnwritable = false;
    trialBytes = USUAL_BYTES;
  }

  const isHealthy = () => !isLost && !isUnwritable;

  // One probe at a time, because all probes write the same file.
  let last: Promise<void> = Promise.resolve();
  function probe(): Promise<void> {
    last = last.then(probeOnce, probeOnce);
    return last;
  }

  return {
    /**
     * Checks that the root is writable now. Throws `artifact` if the root is missing or not writable, and `overloaded` if a
     * store fails.
     */
    probe,
    /** Probes the root after a publication of this many bytes failed. Never rejects. `isHealthy` returns the result. */
    async noteFailure(bytes: number): Promise<void> {
      trialBytes = Math.max(trialBytes, Math.min(bytes, MAX_TRIAL_BYTES));
      await probe().catch(() => undefined);
    },
    /** If the last check has failed, repeats the check. Throws the error of `probe` if the new check fails too. */
    async refuseBroken(): Promise<void> {
      if (!isHealthy()) await probe();
    },
    /** Returns true if the last check found the root missing. */
    isLost: () => isLost,
    /** Returns false if the last check found the root missing or not writable. Nothing can be published then. */
    isHealthy,
    /** Returns false if the root is not healthy and belongs to this process alone. Such a process must not receive requests. */
    isReady: () => files.isShared || isHealthy(),
    /**
     * Prepares the root if it was never used. Throws `artifact` if the root was used and is missing, and `overloaded` if a store
     * fails.
     */
    async prepare(): Promise<void> {
      const loss = await findLoss();
      if (loss) throw loss;
      await files.prepare();
      wasUsed = true;
    },
    /**
     * Resolves with an error if the root was used and is missing. Throws `artifact` if the root is not accessible, and `overloaded`
     * if a store fails. Otherwise resolves with undefined.
     */
    findLoss,
  };
}
