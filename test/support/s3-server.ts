import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { askEngine } from './engines/ask-engine.ts';
import { isS3GatewayInstalled, type S3Connection } from './engines/s3-gateway.ts';

/** The way to the objects of one test. */
export interface TestBucket extends Omit<S3Connection, 'buckets'> {
  /** The name of a bucket that is empty and that no other test uses. */
  readonly bucket: string;
  /** The folder of the bucket. Each file below it is an object, whose key is the path of the file. */
  readonly folder: string;
  /** Removes the bucket with all its objects. */
  remove(): Promise<void>;
}

/** True if a server is installed or must be. `describe.runIf(HAS_S3)` skips tests without a server, except in CI. */
export const HAS_S3: boolean = isS3GatewayInstalled();

/** Resolves with a bucket of the server that all test files of this run share. The caller removes the bucket. */
export async function createBucket(): Promise<TestBucket> {
  const { buckets, ...connection } = await askEngine<S3Connection>('s3');
  const bucket = `test-${randomUUID()}`;
  const folder = join(buckets, bucket);
  await mkdir(folder);
  return {
    ...connection,
    bucket,
    folder,
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Resolves with a bucket that is removed after the current test. */
export async function emptyBucket(): Promise<TestBucket> {
  const bucket = await createBucket();
  onTestFinished(bucket.remove);
  return bucket;
}
