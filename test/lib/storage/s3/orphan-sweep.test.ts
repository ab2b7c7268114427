import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createArtifactRoot } from '../../../../lib/artifacts/artifact-root.ts';
import { createOrphanSweep } from '../../../../lib/artifacts/orphan-sweep.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { DAY_MS } from '../../../../lib/platform/days.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { sha256Of } from '../../../../lib/storage/s3/bucket.ts';
import { openS3Files } from '../../../../lib/storage/s3/open-s3-files.ts';
import { type FaultyBucket, startFaultyBucket } from '../../../support/faulty-bucket.ts';
import { HAS_S3 } from '../../../support/s3-server.ts';
import { openSqliteState } from '../../../support/sqlite-state.ts';
import type { OpenState } from '../../../support/stores.ts';

const IMAGE = Buffer.from('an image');

const ids = createIds(systemClock.nowMs);
let bucket: FaultyBucket;
let state: OpenState;
let opened: Awaited<ReturnType<typeof openS3Files>>;
let days: number;

const clock = { ...systemClock, nowMs: () => Date.now() + days * DAY_MS };

beforeEach(async () => {
  days = 0;
  bucket = await startFaultyBucket();
  state = await openSqliteState(ids);
  opened = await openS3Files(bucket.settings, { clock, ids });
  await opened.artifactFiles.prepare();
});
afterEach(async () => {
  opened.close();
  await state.close();
  await bucket.close();
});

/** Stores an image. With `isRecorded`, the record stays that of a publication that has not ended. */
async function store(name: string, isRecorded: boolean): Promise<string> {
  const id = ids.newOpaqueId();
  const { artifactFiles: files } = opened;
  if (isRecorded) {
    const facts = { format: 'png', width: 1, height: 1, bytes: IMAGE.length } as const;
    const about = { scope: 'anonymous', sha256: sha256Of(IMAGE), createdSecs: 0 };
    await state.artifacts.claim([{ id, name, ...facts, ...about }]);
  }
  await files.stage(id, IMAGE);
  await files.publish(id, name);
  return id;
}

/** Runs the task of one replica and resolves with the reported numbers. */
async function sweep(orphans: 'report' | 'remove'): Promise<readonly unknown[]> {
  const reported: unknown[] = [];
  const { artifactFiles: files, storedObjects: objects } = opened;
  const task = createOrphanSweep({
    ...{ store: state.artifacts, files, objects, clock, orphans },
    artifactRoot: createArtifactRoot({ store: state.artifacts, files }),
    report: (count, isRemoved) => reported.push({ count, isRemoved }),
  });
  await task.run(new AbortController().signal);
  return reported;
}

describe.runIf(HAS_S3)('createOrphanSweep', () => {
  test('a sweep removes old objects without a record, and no other objects', async () => {
    await state.artifacts.publish([await store('published.png', true)]);
    await store('pending.png', true);
    await store('folder/orphan.png', false);
    await bucket.putForeign('foreign.png', 'foreign');
    await opened.storedInputs.put(sha256Of(IMAGE), IMAGE);
    days = 8;

    expect(await sweep('remove')).toEqual([{ count: 1, isRemoved: true }]);

    expect(await bucket.exists('folder/orphan.png')).toBe(false);
    for (const name of ['published.png', 'pending.png', 'foreign.png', '.image-bridge']) {
      expect([name, await bucket.exists(name)]).toEqual([name, true]);
    }
    expect(await opened.storedInputs.read(sha256Of(IMAGE), IMAGE.length)).toEqual(IMAGE);
  });

  test('a sweep only reports by default, and also if the database is empty', async () => {
    await store('orphan.png', false);
    days = 8;

    expect(await sweep('remove')).toEqual([{ count: 1, isRemoved: false }]);
    days = 16;
    await store('pending.png', true);
    expect(await sweep('report')).toEqual([{ count: 1, isRemoved: false }]);

    expect(await bucket.exists('orphan.png')).toBe(true);
  });

  test('objects that are younger than a week are kept, and all replicas together sweep once a week', async () => {
    await store('pending.png', true);
    await store('young.png', false);

    expect(await sweep('remove')).toEqual([]);
    days = 6;
    const before = bucket.calls.length;
    expect(await sweep('remove')).toEqual([]);
    expect(bucket.calls.slice(before).filter((call) => call === 'GET ')).toEqual([]);
    days = 8;
    const runs = await Promise.all([sweep('remove'), sweep('remove')]);

    expect(runs.flat()).toEqual([{ count: 1, isRemoved: true }]);
  });
});
