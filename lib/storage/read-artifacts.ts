import type { ArtifactFiles } from '../artifacts/artifact-files-port.ts';
import type { Config } from '../config/settings/settings.ts';
import type { StoredInputFiles } from '../inputs/stored-inputs-port.ts';
import type { Clock } from '../platform/clock.ts';
import { createIds } from '../platform/ids.ts';
import { inspectState } from './inspect-state.ts';
import { openFiles } from './open-files.ts';
import type { StateReader } from './state-reader-port.ts';
import type { Environment } from './stores.ts';

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
  config: Pick<Config, 'state' | 'artifacts' | 'replica'>,
  { clock, env }: { readonly clock: Clock; readonly env: Environment },
): Promise<ArtifactReader | undefined> {
  const reader = await (await inspectState(config, env)).openReader();
  if (reader === undefined) return undefined;
  try {
    const ids = createIds(clock.nowMs);
    const files = await openFiles(config, { clock, ids, isReadOnly: true });
    return {
      ...reader,
      files: files.artifactFiles,
      inputFiles: files.storedInputs,
      async close() {
        files.close();
        await reader.close();
      },
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}
