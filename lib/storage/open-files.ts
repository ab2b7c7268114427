import type { Config } from '../config/settings/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { createArtifactFiles } from './file-system/artifact-files.ts';
import { createStoredInputFiles } from './file-system/stored-input-files.ts';
import type { FileStores } from './stores.ts';

interface Outside {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  /** True if the caller only reads. Nothing is written then, not even to test the files. */
  readonly isReadOnly?: boolean;
}

/** Opens the files that `artifacts.driver` places. Throws `configuration` if the bucket cannot be used. */
export async function openFiles(
  { state, artifacts }: Pick<Config, 'state' | 'artifacts'>,
  { clock, ids, isReadOnly = false }: Outside,
): Promise<FileStores> {
  const { driver, root, permissions, shared_folder, s3 } = artifacts;
  if (driver === 's3') {
    const { bucket = '' } = s3;
    // Loaded only if needed, because most bridges use a folder.
    const { openS3Files } = await import('./s3/open-s3-files.ts');
    return openS3Files({ ...s3, bucket }, { clock, ids, isReadOnly });
  }
  // A replica that runs alone also treats input images as shared, because the replica that it replaces may still be writing.
  const hasReplicas = state.driver === 'postgres';
  return {
    artifactFiles: createArtifactFiles({
      root,
      permissions,
      clock,
      shared: hasReplicas && shared_folder ? ids : undefined,
    }),
    storedInputs: createStoredInputFiles({
      ...state,
      clock,
      shared: hasReplicas ? ids : undefined,
    }),
    close: () => {},
  };
}
