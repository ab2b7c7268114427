import { BridgeError } from '../../errors/bridge-error.ts';
import type { Ids } from '../../platform/ids.ts';
import { type Bucket, isSame, sha256Of } from './bucket.ts';
import { isMisconfigured } from './bucket-errors.ts';

const FIRST = Buffer.from('first');
const SECOND = Buffer.from('second');
const SERVER = 'use a server with conditional writes and SHA-256 checksums';
const ACCESS =
  'check the bucket, the endpoint, the region and the credentials, which must permit listing, reading, writing and deleting';
const LOSES_FACTS = 'the bucket does not keep the metadata and the checksum of objects';
const OTHER_SHA256 = '0'.repeat(64);

/**
 * Tries what the publication of artifacts relies on, because servers exist that accept conditions and checksums and ignore
 * them: an object is never replaced, damaged bytes are not stored, the id of an object is kept, and an object can be removed.
 * Leaves no object. Throws `configuration` if the bucket fails a trial or cannot be used with the settings, and `overloaded` if
 * the bucket is not available now.
 */
export async function proveBucket(bucket: Bucket, ids: Pick<Ids, 'newOpaqueId'>): Promise<void> {
  const name = `.probe/${ids.newOpaqueId()}`;
  await nameSettings(async () => {
    await tryObject(bucket, name);
    await tryDamaged(bucket, `${name}-damaged`);
  });
}

/** Checks that the bucket can be listed, and writes nothing. Throws as `proveBucket` does. */
export async function checkAccess(bucket: Pick<Bucket, 'list'>): Promise<void> {
  await nameSettings(async () => {
    for await (const _ of bucket.list('.probe/')) break;
  });
}

/** Settles like `work`, but throws `configuration` if the cause of a failure are the settings. */
async function nameSettings(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (
      error instanceof BridgeError &&
      error.code === 'overloaded' &&
      isMisconfigured(error.cause)
    ) {
      throw refusal(`the bucket cannot be used (${nameOf(error.cause)})`, ACCESS);
    }
    throw error;
  }
}

async function tryObject(bucket: Bucket, name: string): Promise<void> {
  const first = { name, bridgeId: name, bytes: FIRST, sha256: sha256Of(FIRST) };
  const second = { ...first, bytes: SECOND, sha256: sha256Of(SECOND) };
  if ((await bucket.head(name)) !== undefined)
    throw refusal('the bucket has an object for any name');
  if (!(await bucket.create(first))) throw refusal(LOSES_FACTS);
  try {
    if (await bucket.tryPut(second)) {
      throw refusal('the bucket replaces objects in spite of "If-None-Match: *"');
    }
    const found = await bucket.head(name);
    if (found === undefined || !isSame(found, first)) throw refusal(LOSES_FACTS);
    const read = await bucket.read(name, FIRST.length);
    if (!read?.content.equals(FIRST))
      throw refusal('the bucket does not return the bytes it stored');
  } finally {
    await bucket.remove(name, () => true);
  }
  if ((await bucket.head(name)) !== undefined) throw refusal('the bucket does not remove objects');
}

async function tryDamaged(bucket: Bucket, name: string): Promise<void> {
  const damaged = { name, bytes: FIRST, sha256: OTHER_SHA256, bridgeId: name };
  const isAccepted = await bucket.tryPut(damaged);
  const found = await bucket.head(name);
  await bucket.remove(name, () => true);
  if (isAccepted || found !== undefined) {
    throw refusal('the bucket stores bytes that do not have the checksum of the request');
  }
}

function refusal(problem: string, remedy = SERVER): BridgeError {
  return new BridgeError('configuration', `artifacts.s3: ${problem}; ${remedy}`);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
