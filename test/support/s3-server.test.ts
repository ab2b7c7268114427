import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTool } from './outside-tools.ts';
import { createBucket, emptyBucket, HAS_S3, type TestBucket } from './s3-server.ts';

/** Sends a signed request with curl. Resolves with the body and the status of the response. */
async function send(
  { endpoint, region, accessKeyId, secretAccessKey, bucket }: TestBucket,
  key: string,
  ...options: readonly string[]
): Promise<string> {
  const { output } = await runTool('curl', [
    ...['--silent', '--write-out', ' %{http_code}', ...options],
    ...['--aws-sigv4', `aws:amz:${region}:s3`, '--user', `${accessKeyId}:${secretAccessKey}`],
    ...['--header', 'x-amz-content-sha256: UNSIGNED-PAYLOAD', `${endpoint}/${bucket}/${key}`],
  ]);
  return output;
}

const PUT_ONCE = ['--request', 'PUT', '--header', 'If-None-Match: *', '--data-binary'];

describe.runIf(HAS_S3)('emptyBucket', () => {
  it('resolves with a bucket for each caller, on one server', async () => {
    const [first, second] = await Promise.all([emptyBucket(), emptyBucket()]);

    await send(first, 'a.png', ...PUT_ONCE, 'bytes');

    expect(second.endpoint).toBe(first.endpoint);
    expect(await send(first, 'a.png')).toBe('bytes 200');
    expect(await send(second, 'a.png')).toMatch(/NoSuchKey.* 404$/s);
  });

  it('does not replace an object that must not exist', async () => {
    const bucket = await emptyBucket();

    expect(await send(bucket, 'a.png', ...PUT_ONCE, 'first')).toBe(' 200');
    expect(await send(bucket, 'a.png', ...PUT_ONCE, 'second')).toMatch(/ 412$/);
    expect(await send(bucket, 'a.png')).toBe('first 200');
  });

  it('serves the files of its folder', async () => {
    const bucket = await emptyBucket();

    await writeFile(join(bucket.folder, 'a.png'), 'bytes');

    expect(await send(bucket, 'a.png')).toBe('bytes 200');
  });
});

describe.runIf(HAS_S3)('createBucket', () => {
  it('removes the bucket with its objects', async () => {
    const bucket = await createBucket();
    await send(bucket, 'a.png', ...PUT_ONCE, 'bytes');

    await bucket.remove();

    expect(await send(bucket, 'a.png')).toMatch(/NoSuchBucket.* 404$/s);
  });
});
