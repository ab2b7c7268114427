import { afterAll, describe, expect, it } from 'vitest';
import { type FaultyBucket, startFaultyBucket } from '../../support/faulty-bucket.ts';
import { HAS_S3 } from '../../support/s3-server.ts';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';

afterAll(cleanUp);

// biome-ignore lint/suspicious/noExplicitAny: each use knows the shape of the reply that it reads.
type Json = any;

async function toOptions({ settings }: FaultyBucket) {
  const { bucket, prefix, endpoint, region } = settings;
  const variables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
  return {
    cwd: await freshFolder(),
    env: Object.fromEntries(variables.map((name) => [name, process.env[name] ?? ''])),
    set: [
      'artifacts.driver=s3',
      ...Object.entries({ bucket, prefix, endpoint, region }).map(
        ([name, value]) => `artifacts.s3.${name}=${value}`,
      ),
      'artifacts.s3.allow_http=true',
      'artifacts.s3.path_style=true',
      'artifacts.s3.max_attempts=1',
    ],
  };
}

/** Lets the bucket store each image without an answer. Returns the function that lists the names of these images. */
function loseAnswers(bucket: FaultyBucket): () => readonly string[] {
  const stored = new Set<string>();
  bucket.setFault(({ method, key }) => {
    // The names of objects that are not images begin with a dot.
    if (key.startsWith('.')) return undefined;
    if (method !== 'PUT') return stored.has(key) ? 'silent' : undefined;
    stored.add(key);
    return 'lost answer';
  });
  return () => [...stored];
}

async function send(url: string, body: object): Promise<Json> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

async function endOf(address: string, id: string): Promise<Json> {
  for (;;) {
    const response = await fetch(`${address}/v1/jobs/${id}?wait_ms=10000`);
    const job: Json = await response.json();
    if (job.completed !== undefined) return job;
  }
}

describe.runIf(HAS_S3)('a bridge whose bucket is away at its start', () => {
  it('keeps unfinished publications, and serves their images when the bucket is back', async () => {
    const bucket = await startFaultyBucket({ prefix: 'images' });
    const options = await toOptions(bucket);
    const stored = loseAnswers(bucket);
    const first = await startBridge(options);
    const { id } = await send(`${first.address}/v1/jobs`, { prompt: 'of a job' });
    await expect.poll(stored).toHaveLength(1);
    const lost = send(`${first.address}/v1/images`, {
      prompt: 'of a request',
      output: { response_format: 'artifact' },
    });
    lost.catch(() => undefined);
    await expect.poll(stored).toHaveLength(2);
    const [ofJob = '', ofRequest = ''] = stored();
    for (const name of [ofJob, ofRequest]) {
      await expect.poll(() => bucket.exists(name)).toBe(true);
    }
    await first.end('SIGKILL');
    await expect(lost).rejects.toThrow();

    bucket.setFault(() => 'unavailable');
    const second = await startBridge(options);
    const interrupted = await endOf(second.address, id);
    const [image] = interrupted.partial_result.data;
    const during = await fetch(`${second.address}/v1/artifacts/${image.id}`);
    const { error }: Json = await during.json();
    const ready = await fetch(`${second.address}/health/ready`);
    bucket.setFault();
    const after = await fetch(`${second.address}/v1/artifacts/${image.id}`);
    const bytes = Buffer.from(await after.arrayBuffer());
    const next = await send(`${second.address}/v1/jobs`, { prompt: 'of the next job' });
    const done = await endOf(second.address, next.id);
    await second.end();
    const third = await startBridge(options);

    expect(interrupted).toMatchObject({ status: 'interrupted', error: { code: 'cancelled' } });
    expect(image).toMatchObject({ name: ofJob });
    expect([during.status, error.bridge_ext.details.reason]).toEqual([
      503,
      'artifact_store_unavailable',
    ]);
    expect(ready.status).toBe(200);
    expect([after.status, bytes.length]).toEqual([200, image.bytes]);
    expect(done).toMatchObject({ status: 'succeeded' });
    // Nobody received the image of the request, so its remains are removed.
    await expect.poll(() => bucket.exists(ofRequest)).toBe(false);
    expect(await bucket.exists(ofJob)).toBe(true);
    expect((await third.end()).code).toBe(0);
    await bucket.close();
  });
});
