import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { openS3Files, type S3Files } from '../../../../lib/storage/s3/open-s3-files.ts';
import {
  describeSharedInputFiles,
  describeStoredInputFiles,
} from '../../../contracts/stored-input-files.ts';
import { type FaultyBucket, startFaultyBucket } from '../../../support/faulty-bucket.ts';
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts';
import { HAS_S3 } from '../../../support/s3-server.ts';

const ids = createIds(systemClock.nowMs);
const TEN_MINUTES_MS = 600_000;

async function open() {
  const bucket = await startFaultyBucket();
  let passedMs = 0;
  const clock = {
    nowMs: () => systemClock.nowMs() + passedMs,
    monotonicMs: () => systemClock.monotonicMs() + passedMs,
  };
  const opened = await openS3Files(bucket.settings, { clock, ids });
  const reopened = await openS3Files(bucket.settings, { clock, ids });
  return {
    files: opened.storedInputs,
    reopen: () => reopened.storedInputs,
    passTime(ms = 2 * TEN_MINUTES_MS) {
      passedMs += ms;
    },
    async damage(_: string, content: Buffer) {
      const put = bucket.calls.findLast((call) => call.startsWith('PUT .inputs/')) ?? '';
      await bucket.putForeign(put.slice('PUT '.length), content);
    },
    async close() {
      opened.close();
      reopened.close();
      await bucket.close();
    },
  };
}

describe.runIf(HAS_S3)('on an S3 server', () => {
  describeStoredInputFiles('a bucket', open);
  describeSharedInputFiles('a bucket', open);

  describe('createStoredInputObjects', () => {
    const bytes = Buffer.from('an image');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    let bucket: FaultyBucket;
    let clock: ManualClock;
    let [one, other]: S3Files[] = [];

    beforeEach(async () => {
      bucket = await startFaultyBucket();
      clock = createManualClock();
      [one, other] = await Promise.all([
        openS3Files(bucket.settings, { clock, ids }),
        openS3Files(bucket.settings, { clock, ids }),
      ]);
    });
    afterEach(async () => {
      one?.close();
      other?.close();
      await bucket.close();
    });

    const read = () => one?.storedInputs.read(sha256, bytes.length);
    const put = () => one?.storedInputs.put(sha256, bytes);

    test('an image that is stored again and again has few objects', async () => {
      for (let nth = 0; nth < 6; nth += 1) {
        await put();
        await clock.advance(TEN_MINUTES_MS);
      }

      const puts = bucket.calls.filter((call) => call.startsWith('PUT .inputs/'));
      const exist = await Promise.all(puts.map((call) => bucket.exists(call.slice(4))));
      expect(exist).toEqual([false, false, false, false, true, true]);
    });

    test('an image that was stored a short time ago is stored without a write', async () => {
      await put();
      const before = bucket.calls.length;

      await other?.storedInputs.put(sha256, bytes);

      expect(bucket.calls.slice(before)).toEqual([expect.stringMatching(/^HEAD .inputs\//)]);
    });

    test('a write that is not answered can be repeated', async () => {
      bucket.setFault(({ method }) => (method === 'PUT' ? 'unavailable' : undefined));
      await expect(put()).rejects.toMatchObject({ code: 'overloaded', retryable: true });
      bucket.setFault(({ method }) => (method === 'PUT' ? 'lost answer' : undefined));

      await put();

      expect(await read()).toEqual(bytes);
    });
  });
});
