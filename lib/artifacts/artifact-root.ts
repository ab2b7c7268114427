import { BridgeError } from '../errors/bridge-error.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactStore } from './artifact-store-port.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'totals' | 'listPending'>;
  readonly files: Pick<ArtifactFiles, 'prepare' | 'isMissing'>;
}

export type ArtifactRoot = ReturnType<typeof createArtifactRoot>;

/** Makes the folder of all artifacts with the first of them. Missing later, it is not mounted, and must not be made anew. */
export function createArtifactRoot({ store, files }: Deps) {
  let wasUsed = false;
  let isLost = false;

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

  return {
    /** Makes it where nothing was ever kept in it. Throws `artifact` when it is lost, `overloaded`. */
    async prepare(): Promise<void> {
      const loss = await findLoss();
      if (loss) throw loss;
      await files.prepare();
      wasUsed = true;
    },
    /** The failure of whatever needs the folder, when it is missing and was there before. Throws `artifact`, `overloaded`. */
    findLoss,
    /** Whether the last look found it lost. */
    isLost: () => isLost,
  };
}

function rootIsMissing(): BridgeError {
  return new BridgeError('artifact', 'artifacts.root: the folder is missing or not mounted', {
    details: { reason: 'artifact_folder_unusable' },
  });
}
