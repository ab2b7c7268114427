import { BridgeError } from '../errors/bridge-error.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactStore } from './artifact-store-port.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'totals' | 'listPending'>;
  readonly files: Pick<ArtifactFiles, 'prepare' | 'isMissing' | 'probe'>;
}

export type ArtifactRoot = ReturnType<typeof createArtifactRoot>;

// One block: enough to notice a folder that is read-only, or a disk with no room at all.
const USUAL_BYTES = 4096;
// A usual image. A larger one that does not fit must not keep the others away.
const MAX_TRIAL_BYTES = 4_194_304;

/**
 * Makes the folder of all artifacts with the first of them, and knows whether it can be written. Missing later, it is not
 * mounted, and must not be made anew.
 */
export function createArtifactRoot({ store, files }: Deps) {
  let wasUsed = false;
  let isLost = false;
  let isUnwritable = false;
  // Small files may fit where an image did not, so the next probe is as large as the image.
  let trialBytes = USUAL_BYTES;

  async function hasRecords(): Promise<boolean> {
    return (await store.totals()).count > 0 || (await store.listPending()).length > 0;
  }

  async function findLoss(): Promise<BridgeError | undefined> {
    // In this order: another publication may make the folder between the two.
    if (!wasUsed && (await hasRecords())) wasUsed = true;
    const mustExist = wasUsed;
    const isMissing = await files.isMissing();
    if (!isMissing) wasUsed = true;
    isLost = mustExist && isMissing;
    return isLost ? rootIsMissing() : undefined;
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

  // One at a time: they write the same file.
  let last: Promise<void> = Promise.resolve();
  function probe(): Promise<void> {
    last = last.then(probeOnce, probeOnce);
    return last;
  }

  return {
    /** Learns whether it can be written now. Throws `artifact` if it cannot, `overloaded`. */
    probe,
    /** Probes it after a publication of so many bytes has failed. Never rejects: `isHealthy` says what was found. */
    async noteFailure(bytes: number): Promise<void> {
      trialBytes = Math.max(trialBytes, Math.min(bytes, MAX_TRIAL_BYTES));
      await probe().catch(() => undefined);
    },
    /** Throws as `probe` does if the last look found it lost or unwritable, and it still is. */
    async refuseBroken(): Promise<void> {
      if (isLost || isUnwritable) await probe();
    },
    /** True if the last look found it lost. */
    isLost: () => isLost,
    /** False if the last look found it lost or unwritable. */
    isHealthy: () => !isLost && !isUnwritable,
    /** Makes it where nothing was ever kept in it. Throws `artifact` when it is lost, `overloaded`. */
    async prepare(): Promise<void> {
      const loss = await findLoss();
      if (loss) throw loss;
      await files.prepare();
      wasUsed = true;
    },
    /** The failure of whatever needs the folder, when it is missing and was there before. Throws `artifact`, `overloaded`. */
    findLoss,
  };
}

function rootIsMissing(): BridgeError {
  return new BridgeError('artifact', 'artifacts.root: the folder is missing or not mounted', {
    details: { reason: 'artifact_folder_unusable' },
  });
}
