import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { openS3Files } from '../../../../lib/storage/s3/open-s3-files.ts';
import {
  type FaultRule,
  type FaultyBucket,
  startFaultyBucket,
} from '../../../support/faulty-bucket.ts';
import { HAS_S3 } from '../../../support/s3-server.ts';

const outside = { clock: systemClock, ids: createIds(systemClock.nowMs) };

const put: (fault: ReturnType<FaultRule>) => FaultRule =
  (fault) =>
  ({ method }) =>
    method === 'PUT' ? fault : undefined;

describe.runIf(HAS_S3)('openS3Files', () => {
  let bucket: FaultyBucket;

  beforeEach(async () => {
    bucket = await startFaultyBucket();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await bucket.close();
  });

  test('the trials leave no object', async () => {
    const opened = await openS3Files(bucket.settings, outside);
    opened.close();

    const objects = bucket.calls.filter((call) => call.startsWith('PUT '));
    expect(objects).toHaveLength(3);
    for (const call of objects) expect(await bucket.exists(call.slice('PUT '.length))).toBe(false);
  });

  test('a bucket that is only read gets no object of a trial', async () => {
    const opened = await openS3Files(bucket.settings, { ...outside, isReadOnly: true });
    const isMissing = await opened.artifactFiles.isMissing();
    opened.close();

    expect(isMissing).toBe(true);
    expect(bucket.calls.filter((call) => call.startsWith('PUT '))).toEqual([]);
  });

  test('a bucket that does not exist is refused although it is only read', async () => {
    const settings = { ...bucket.settings, bucket: 'no-such-bucket' };
    const opening = openS3Files(settings, { ...outside, isReadOnly: true });

    await expect(opening).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/^artifacts\.s3: the bucket cannot be used/),
    });
  });

  test('a bucket that replaces objects in spite of a condition is refused', async () => {
    bucket.setFault(put('overwrite'));

    await expect(openS3Files(bucket.settings, outside)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/^artifacts\.s3: the bucket replaces objects/),
    });
  });

  test('a bucket that stores damaged bytes is refused, and keeps no object of the trial', async () => {
    bucket.setFault(({ method, key }) =>
      method === 'PUT' && key.endsWith('damaged') ? 'unchecked' : undefined,
    );

    await expect(openS3Files(bucket.settings, outside)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/^artifacts\.s3: the bucket stores bytes that do not have/),
    });
    const damaged = bucket.calls.find((call) => call.endsWith('damaged'))?.split(' ')[1];
    expect(await bucket.exists(String(damaged))).toBe(false);
  });

  test.each([
    ['does not exist', { bucket: 'no-such-bucket' }],
    ['has a host name that does not exist', { endpoint: 'http://bucket.invalid:1' }],
  ])('a bucket that %s is refused', async (_, settings) => {
    const opening = openS3Files({ ...bucket.settings, ...settings }, outside);

    await expect(opening).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/^artifacts\.s3: the bucket cannot be used/),
    });
  });

  test('a bucket is refused if no region is set', async () => {
    vi.stubEnv('AWS_REGION', undefined);

    const opening = openS3Files({ ...bucket.settings, region: undefined }, outside);
    await expect(opening).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('the region'),
    });
  });

  test('a bucket that denies access is refused', async () => {
    bucket.setFault(() => 'denied');

    await expect(openS3Files(bucket.settings, outside)).rejects.toMatchObject({
      code: 'configuration',
    });
  });

  test.each(['unavailable', 'cut', 'silent'] as const)(
    'a bucket that is %s at the start is proven before the first write',
    async (fault) => {
      bucket.setFault(() => fault);
      const opened = await openS3Files({ ...bucket.settings, request_timeout_ms: 1000 }, outside);
      const away = opened.artifactFiles.probe(1);
      await expect(away).rejects.toMatchObject({ code: 'overloaded' });

      bucket.setFault(put('overwrite'));
      await expect(opened.artifactFiles.prepare()).rejects.toMatchObject({ code: 'configuration' });
      bucket.setFault();
      await opened.artifactFiles.prepare();

      expect(await opened.artifactFiles.isMissing()).toBe(false);
      opened.close();
    },
  );
});
