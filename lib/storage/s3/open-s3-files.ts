import type { ArtifactFiles } from '../../artifacts/artifact-files-port.ts';
import type { StoredObjects } from '../../artifacts/stored-objects-port.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { StoredInputFiles } from '../../inputs/stored-inputs-port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { createArtifactObjects } from './artifact-files.ts';
import { type BucketSettings, openBucket } from './bucket.ts';
import { checkAccess, proveBucket } from './prove-bucket.ts';
import { createStoredInputObjects } from './stored-input-files.ts';
import { createStoredObjects } from './stored-objects.ts';

/** The settings of `artifacts.s3`. */
export interface S3Settings extends BucketSettings {
  /** Time for which a cached image is delivered without asking the bucket whether the object has changed. */
  readonly recheck_ms: number;
}

interface Outside {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  /** True if the caller only reads. In this case, the bucket is not proven, because the proof writes objects. */
  readonly isReadOnly?: boolean | undefined;
}

export interface S3Files {
  readonly artifactFiles: ArtifactFiles;
  readonly storedInputs: StoredInputFiles;
  readonly storedObjects: StoredObjects;
  close(): void;
}

/**
 * Opens the artifacts and the stored inputs in a bucket, after the bucket was proven to keep its promises. If the bucket is not
 * available now, nothing is written before it was proven. Throws `configuration` if the bucket cannot be used.
 */
export async function openS3Files(settings: S3Settings, outside: Outside): Promise<S3Files> {
  const { clock, ids, isReadOnly = false } = outside;
  const bucket = await openBucket(settings, clock);
  let proof: Promise<void> | undefined;
  const proven = () => {
    proof ??= proveBucket(bucket, ids).catch((error: unknown) => {
      proof = undefined;
      throw error;
    });
    return proof;
  };
  try {
    await (isReadOnly ? checkAccess(bucket) : proven());
  } catch (error) {
    if (error instanceof BridgeError && error.code === 'configuration') {
      bucket.close();
      throw error;
    }
  }
  const probeName = `.probe/${ids.newOpaqueId()}`;
  const recheckMs = settings.recheck_ms;
  return {
    artifactFiles: createArtifactObjects({ bucket, proven, clock, recheckMs, probeName }),
    storedObjects: createStoredObjects({ bucket, clock, ids }),
    storedInputs: createStoredInputObjects({ bucket, proven, clock }),
    close: bucket.close,
  };
}
