import type { ArtifactStore } from '../artifacts/artifact-store-port.ts';
import type { JobStore } from '../jobs/job-store-port.ts';

/** A read-only view of the state of a bridge that may be running. */
export interface StateReader {
  readonly artifacts: Pick<ArtifactStore, 'listByAge' | 'find'>;
  readonly jobs: Pick<JobStore, 'listInputs' | 'needsInput'>;
  close(): Promise<void>;
}
