import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import {
  openS3Files,
  type S3Files,
  type S3Settings,
} from '../../../../lib/storage/s3/open-s3-files.ts';
import { describeArtifactFiles } from '../../../contracts/artifact-files.ts';
import { type FaultyBucket, startFaultyBucket } from '../../../support/faulty-bucket.ts';
import { HAS_S3 } from '../../../support/s3-server.ts';

const outside = { clock: systemClock, ids: createIds(systemClock.nowMs) };
const unavailable = { code: 'overloaded', details: { reason: 'artifact_store_unavailable' } };

describe.runIf(HAS_S3)('on an S3 server', () => {
  describeArtifactFiles('a bucket', async () => {
    const bucket = await startFaultyBucket();
    const opened = await openS3Files(bucket.settings, outside);
    return {
      files: opened.artifactFiles,
      putForeign: bucket.putForeign,
      async close() {
        opened.close();
        await bucket.close();
      },
    };
  });

  describe('createArtifactObjects', () => {
    let bucket: FaultyBucket;
    let opened: S3Files;
    const content = Buffer.from('our bytes');
    const file = {
      id: '0'.repeat(32),
      name: 'cats/a.png',
      bytes: content.byteLength,
      sha256: createHash('sha256').update(content).digest('hex'),
    };

    beforeEach(async () => {
      bucket = await startFaultyBucket();
      opened = await openS3Files(bucket.settings, outside);
      await opened.artifactFiles.prepare();
    });
    afterEach(async () => {
      opened.close();
      await bucket.close();
    });

    async function reopen(settings: Partial<S3Settings>): Promise<void> {
      opened.close();
      opened = await openS3Files({ ...bucket.settings, ...settings }, outside);
    }

    async function publish(): Promise<boolean> {
      await opened.artifactFiles.stage(file.id, content);
      return opened.artifactFiles.publish(file.id, file.name);
    }

    test('a publication checks the marker and sends one request that creates the object', async () => {
      const before = bucket.calls.length;

      await publish();

      expect(bucket.calls.slice(before)).toEqual(['HEAD .image-bridge', 'PUT cats/a.png']);
    });

    test('a publication whose answer is lost has succeeded', async () => {
      bucket.setFault(({ method }) => (method === 'PUT' ? 'lost answer' : undefined));

      expect(await publish()).toBe(true);
      expect(await bucket.contentOf(file.name)).toBe('our bytes');
    });

    test('a publication that the SDK repeats after a lost answer has succeeded', async () => {
      await reopen({ max_attempts: 3 });
      bucket.setFault(({ method, key }) => {
        const puts = bucket.calls.filter((call) => call === `${method} ${key}`);
        return method === 'PUT' && puts.length === 1 ? 'lost answer' : undefined;
      });

      expect(await publish()).toBe(true);
      expect(bucket.calls.filter((call) => call.startsWith('PUT cats/'))).toHaveLength(2);
    });

    test.each(['unavailable', 'denied', 'cut', 'silent', 'slow'] as const)(
      'a publication can be repeated after a request that is %s',
      async (fault) => {
        await reopen({ request_timeout_ms: 1000 });
        bucket.setFault(({ method }) => (method === 'PUT' ? fault : undefined));
        await expect(publish()).rejects.toMatchObject({ ...unavailable, retryable: true });
        bucket.setFault();

        expect(await opened.artifactFiles.publish(file.id, file.name)).toBe(true);
        expect(await bucket.contentOf(file.name)).toBe('our bytes');
      },
    );

    test('a publication whose outcome cannot be looked up can be repeated', async () => {
      bucket.setFault(({ method, key }) => {
        if (key !== file.name) return undefined;
        return method === 'PUT' ? 'lost answer' : 'unavailable';
      });
      await expect(publish()).rejects.toMatchObject(unavailable);
      bucket.setFault();

      expect(await opened.artifactFiles.publish(file.id, file.name)).toBe(true);
    });

    test('the object of another program is not taken for a publication whose answer is lost', async () => {
      await bucket.putForeign(file.name, 'our bytes');
      bucket.setFault(({ method }) => (method === 'PUT' ? 'lost answer' : undefined));

      expect(await publish()).toBe(false);
    });

    test.each(['unavailable', 'denied', 'cut', 'silent', 'slow', 'half body'] as const)(
      'a read of an object that is %s fails with a retryable error',
      async (fault) => {
        await reopen({ request_timeout_ms: 1000 });
        await publish();
        bucket.setFault(() => fault);

        const read = opened.artifactFiles.read(file.name, file.bytes);

        await expect(read).rejects.toMatchObject({ ...unavailable, retryable: true });
      },
    );

    test('a shorter body is not read', async () => {
      await publish();
      bucket.setFault(() => 'short body');

      expect(await opened.artifactFiles.read(file.name, file.bytes)).toBeUndefined();
    });

    test('a read fails with a retryable error if the bucket does not exist', async () => {
      await bucket.removeBucket();

      const read = opened.artifactFiles.read(file.name, file.bytes);

      await expect(read).rejects.toMatchObject(unavailable);
    });

    test('no object counts as removed while the bucket or its marker is missing', async () => {
      await bucket.remove('.image-bridge');

      expect(await opened.artifactFiles.remove(file).catch((error) => error)).toMatchObject({
        code: 'artifact',
        details: { reason: 'artifact_folder_unusable' },
      });
    });

    test('an object that was replaced by an object of another program is not removed', async () => {
      await publish();
      await bucket.putForeign(file.name, 'our bytes');

      await opened.artifactFiles.remove(file);

      expect(await bucket.exists(file.name)).toBe(true);
    });

    test('a removal whose answer is lost can be repeated', async () => {
      await publish();
      bucket.setFault(({ method }) => (method === 'DELETE' ? 'lost answer' : undefined));
      await expect(opened.artifactFiles.remove(file)).rejects.toMatchObject(unavailable);
      bucket.setFault();

      await expect(opened.artifactFiles.remove(file)).resolves.toBeUndefined();
      expect(await bucket.exists(file.name)).toBe(false);
    });

    test('a stamp is that of the object that was read', async () => {
      await publish();

      const found = await opened.artifactFiles.read(file.name, file.bytes);

      expect(found?.stamp).toBe(await opened.artifactFiles.stamp(file.name));
    });

    test('a stamp is returned without a request until it must be checked again, also after the wall clock was set back', async () => {
      let passedMs = 0;
      opened.close();
      // Setting the wall clock back must not extend the time.
      const clock = { nowMs: () => 1_000_000 - passedMs, monotonicMs: () => passedMs };
      opened = await openS3Files({ ...bucket.settings, recheck_ms: 100 }, { ...outside, clock });
      await publish();
      const first = await opened.artifactFiles.stamp(file.name);
      await bucket.putForeign(file.name, 'foreign');

      passedMs = 99;
      const early = await opened.artifactFiles.stamp(file.name);
      passedMs = 100;
      const late = await opened.artifactFiles.stamp(file.name);

      expect(early).toBe(first);
      expect(late).not.toBe(first);
    });

    test('a probe only reads if the last write succeeded', async () => {
      await publish();
      const before = bucket.calls.length;

      await opened.artifactFiles.probe(10);

      expect(bucket.calls.slice(before)).toEqual(['HEAD .image-bridge']);
    });

    test('a probe writes until a write succeeds', async () => {
      bucket.setFault(({ method }) => (method === 'PUT' ? 'denied' : undefined));
      await publish().catch(() => undefined);

      await expect(opened.artifactFiles.probe(10)).rejects.toMatchObject(unavailable);
      bucket.setFault();
      await opened.artifactFiles.probe(10);
      const before = bucket.calls.length;
      await opened.artifactFiles.probe(10);

      expect(bucket.calls.slice(before)).toEqual(['HEAD .image-bridge']);
    });

    test('the names to try for an image are looked up with one request', async () => {
      await publish();
      const names = ['', '-2', '-3', '-4'].map((suffix) => `cats/a${suffix}.png`);
      const before = bucket.calls.length;

      const taken = await opened.artifactFiles.findTaken(names);

      expect(taken).toEqual(new Set(['cats/a.png']));
      expect(bucket.calls.slice(before)).toHaveLength(1);
    });

    test('an error contains neither the bucket nor the name', async () => {
      bucket.setFault(() => 'denied');

      const error: unknown = await opened.artifactFiles
        .findTaken([file.name])
        .catch((thrown) => thrown);

      expect(error).toMatchObject(unavailable);
      expect(String(error)).not.toMatch(/cats|127\.0\.0\.1|test-/);
    });
  });
});
