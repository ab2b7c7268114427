import type { ArtifactFiles } from '../artifacts/artifact-files-port.ts';
import type { ArtifactStore } from '../artifacts/artifact-store-port.ts';
import type { Config } from '../config/settings/settings.ts';
import type { StoredInputFiles } from '../inputs/stored-inputs-port.ts';
import type { JobStore } from '../jobs/job-store-port.ts';
import type { Clock } from '../platform/clock.ts';
import { createArtifactFiles } from './file-system/artifact-files.ts';
import { createStoredInputFiles } from './file-system/stored-input-files.ts';
import { createArtifactStore } from './sqlite/artifact-store.ts';
import { stateDatabaseFile } from './sqlite/database.ts';
import { createJobInputs } from './sqlite/jobs/job-list.ts';
import { openStateReader } from './sqlite/state-reader.ts';

/** A read-only view of the artifacts and the job input images of a bridge that may be running. */
export interface ArtifactReader {
  readonly store: Pick<ArtifactStore, 'listByAge' | 'find'>;
  readonly files: Pick<ArtifactFiles, 'read' | 'isTaken' | 'isMissing'>;
  readonly jobs: Pick<JobStore, 'listInputs' | 'needsInput'>;
  readonly inputFiles: Pick<StoredInputFiles, 'readWhole' | 'stamp'>;
  close(): void;
}

/**
 * Opens the view. Returns undefined if no state exists yet. Throws `configuration` if the state has another version or cannot
 * be read.
 */
export function openArtifactReader(
  { state, artifacts }: Pick<Config, 'state' | 'artifacts'>,
  clock: Clock,
): ArtifactReader | undefined {
  const reader = openStateReader(stateDatabaseFile(state.directory));
  return (
    reader && {
      store: createArtifactStore(reader),
      files: createArtifactFiles({ root: artifacts.root, clock }),
      jobs: createJobInputs(reader),
      inputFiles: createStoredInputFiles({ ...state, clock }),
      close: reader.close,
    }
  );
}
