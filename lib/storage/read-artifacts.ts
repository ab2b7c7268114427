import type { ArtifactFiles } from '../artifacts/artifact-files-port.ts';
import type { Config } from '../config/settings/settings.ts';
import type { StoredInputFiles } from '../inputs/stored-inputs-port.ts';
import type { Clock } from '../platform/clock.ts';
import { createArtifactFiles } from './file-system/artifact-files.ts';
import { createStoredInputFiles } from './file-system/stored-input-files.ts';
import { inspectState } from './inspect-state.ts';
import type { StateReader } from './state-inspection-port.ts';

/** A read-only view of the artifacts and the job input images of a bridge that may be running. */
export interface ArtifactReader extends StateReader {
  readonly files: Pick<ArtifactFiles, 'read' | 'findTaken' | 'isMissing'>;
  readonly inputFiles: Pick<StoredInputFiles, 'readWhole' | 'stamp'>;
}

/**
 * Opens the view. Resolves with undefined if no state exists yet. Throws `configuration` if the state has another version or
 * cannot be read.
 */
export async function openArtifactReader(
  { state, artifacts }: Pick<Config, 'state' | 'artifacts'>,
  clock: Clock,
): Promise<ArtifactReader | undefined> {
  const reader = await inspectState({ state }).openReader();
  return (
    reader && {
      ...reader,
      files: createArtifactFiles({ root: artifacts.root, clock }),
      inputFiles: createStoredInputFiles({ ...state, clock }),
    }
  );
}
