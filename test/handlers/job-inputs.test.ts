import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler as getJobInput } from '../../handlers/jobs/get-job-input.ts';
import { handler as getJobInputThumbnail } from '../../handlers/jobs/get-job-input-thumbnail.ts';
import { createImageDelivery } from '../../lib/artifacts/image-delivery.ts';
import type { StoredInput } from '../../lib/contract/request/image-input.ts';
import type { ImageEngine } from '../../lib/images/image.ts';
import { createImageEngine } from '../../lib/images/image-engine.ts';
import { createStoredInputs } from '../../lib/inputs/stored-inputs.ts';
import { createJobInputs } from '../../lib/jobs/job-inputs.ts';
import type { JobStore } from '../../lib/jobs/job-store-port.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { invoke } from '../support/invoke.ts';
import { jobRequest, newJob, succeeded, WIDE } from '../support/jobs.ts';
import { slices } from '../support/slices.ts';
import { openTestStores, type TestStores } from '../support/stores.ts';

const LIMITS = {
  max_encoded_bytes: 1_000_000,
  max_edge: 1000,
  max_pixels: 1_000_000,
  max_decode_ms: 10_000,
};
const REMOVE_ALL = { completedBeforeSecs: 0, maxRetained: 0, maxRetainedBytes: 0, batch: 9 };

/** A PNG, its mask, and a JPEG with an EXIF rotation of 90 degrees. */
async function drawInputs(): Promise<readonly Buffer[]> {
  const red = { create: { width: 80, height: 40, channels: 4, background: '#ff0000' } } as const;
  const hole = { ...red, create: { ...red.create, background: { r: 0, g: 0, b: 0, alpha: 0 } } };
  return [
    await sharp(red).png().toBuffer(),
    await sharp(hole).png().toBuffer(),
    await sharp(red).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
  ];
}

const checksum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let engine: ImageEngine;
let directory: string;
let stores: TestStores;
let store: JobStore;
let stored: ReturnType<typeof createStoredInputs>;
let services: { readonly jobInputs: ReturnType<typeof createJobInputs> };
let inputs: readonly Buffer[];
let id: string;

beforeAll(async () => {
  engine = createImageEngine({ limits: LIMITS, clock: systemClock, slices });
  inputs = await drawInputs();
});
afterAll(() => engine.close());

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'job-inputs-'));
  stores = await openTestStores({ directory });
  store = stores.jobs;
  const files = stores.storedInputs;
  const images = createImageDelivery({ engine, cacheBytes: 1_000_000 });
  stored = createStoredInputs({ files, isNeeded: store.needsInput, clock: systemClock });
  services = { jobInputs: createJobInputs({ store, files, images }) };
  id = await acceptJob();
});
afterEach(async () => {
  await stores.close();
  await rm(directory, { recursive: true });
});

async function acceptJob(scope = 'anonymous'): Promise<string> {
  const [image, mask, reference] = inputs.map((bytes, index): StoredInput => {
    const media_type = index === 2 ? 'image/jpeg' : 'image/png';
    return { type: 'stored', sha256: checksum(bytes), media_type, bytes: bytes.length };
  });
  if (!image || !mask || !reference) throw new Error('there are three images');
  const references = { reference_images: [reference] };
  const request = jobRequest({ operation: 'edit', images: [image], mask, ...references });
  const kept = inputs.map((bytes) => ({ bytes, sha256: checksum(bytes) }));
  const { signal } = new AbortController();
  const accept = () => store.submit(newJob({ scope, request }), WIDE);
  const { job } = await stored.keepFor(kept, signal, accept);
  return job.id;
}

const fileOf = (index: number) => {
  const sha256 = checksum(inputs[index] ?? Buffer.of());
  return join(directory, 'inputs', sha256.slice(0, 2), sha256);
};
const get = (index: string, query = '', headers: Record<string, string> = {}, jobId = id) =>
  invoke(getJobInput, { pathParameters: { id: jobId, index }, query, headers }, services);
const thumbnail = (index: string, query = '', headers: Record<string, string> = {}, jobId = id) =>
  invoke(getJobInputThumbnail, { pathParameters: { id: jobId, index }, query, headers }, services);

describe('getJobInput', () => {
  it.each([
    ['0', 'image/png', 'input-0.png'],
    ['1', 'image/png', 'input-1.png'],
    ['2', 'image/jpeg', 'input-2.jpg'],
  ])('delivers the input %s in the same way as an artifact', async (index, mediaType, filename) => {
    const bytes = inputs[Number(index)] ?? Buffer.of();

    const reply = await get(index);

    expect(reply.status).toBe(200);
    expect(reply.bytes.equals(bytes)).toBe(true);
    expect(reply.headers).toMatchObject({
      'content-type': mediaType,
      'content-length': String(bytes.length),
      'content-disposition': `inline; filename="${filename}"`,
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${checksum(bytes)}"`,
    });
  });

  it('delivers a range, an attachment, and 304 for a current copy', async () => {
    const etag = `"${checksum(inputs[0] ?? Buffer.of())}"`;

    const part = await get('0', '', { range: 'bytes=1-3' });
    const known = await get('0', '', { 'if-none-match': etag });
    const beyond = await get('0', '', { range: 'bytes=999999-' });
    const saved = await get('0', 'download=true');

    expect([part.status, part.bytes.toString()]).toEqual([206, 'PNG']);
    expect([known.status, known.bytes.length]).toEqual([304, 0]);
    expect(beyond.status).toBe(416);
    expect(saved.headers['content-disposition']).toBe('attachment; filename="input-0.png"');
  });

  it('sends the same 404 for an unknown input and for an input of another scope', async () => {
    const foreign = await acceptJob('other');
    const absent = [
      await get('0', '', {}, foreign),
      await get('0', '', {}, '01890000-0000-7000-8000-ffffffffffff'),
      await get('0', '', {}, "' OR 1=1 --"),
      await thumbnail('0', '', {}, foreign),
      ...(await Promise.all(['3', '-1', '01', '0.0', '1e0', 'mask', ''].map((nth) => get(nth)))),
    ];

    expect(absent.map(({ status }) => status)).toEqual(absent.map(() => 404));
    const bodies = absent.map(({ json }) => ({ ...Object(json), request_id: '' }));
    expect(bodies).toEqual(absent.map(() => bodies[0]));
  });

  it('delivers an input after the job has ended, until retention removes the job', async () => {
    const { sequence } = (await store.claim(1)) ?? { sequence: 0 };
    await store.settle(sequence, succeeded());
    const kept = await get('0');

    const { releasedInputs } = await store.prune(REMOVE_ALL);
    await stored.removeUnneeded(releasedInputs);

    expect(kept.status).toBe(200);
    expect([(await get('0')).status, (await thumbnail('0')).status]).toEqual([404, 404]);
  });

  it('replies with 404 for a job that ended before input images were stored', async () => {
    for (const bytes of inputs) await stores.state.forgetInput(checksum(bytes));
    await rm(fileOf(0));

    expect((await get('0')).status).toBe(404);
  });

  it.each([
    ['missing', () => rm(fileOf(0))],
    ['another image', async () => writeFile(fileOf(0), inputs[1] ?? '')],
    ['changed in place', () => writeFile(fileOf(0), Buffer.alloc(inputs[0]?.length ?? 0, 'x'))],
  ])('delivers no byte of a file that is %s, even after an earlier delivery', async (_, damage) => {
    const before = await get('0');
    await damage();

    const replies = [
      await get('0'),
      await thumbnail('0'),
      await get('0', '', { range: 'bytes=0-1' }),
    ];

    expect(before.status).toBe(200);
    expect(replies.map(({ status }) => status)).toEqual([500, 500, 500]);
    expect(replies[0]?.json).toMatchObject({ error: { code: 'artifact_error' } });
  });
});

describe('getJobInputThumbnail', () => {
  it.each([
    ['0', 'edge=32', 32, 16],
    ['0', '', 80, 40],
    ['2', 'edge=40', 20, 40],
  ])('makes a PNG of the input %s with ?%s', async (index, query, width, height) => {
    const reply = await thumbnail(index, query);

    expect(reply.status).toBe(200);
    const meta = await sharp(reply.bytes).metadata();
    expect([meta.format, meta.width, meta.height]).toEqual(['png', width, height]);
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      etag: `"${checksum(reply.bytes)}"`,
      'cache-control': 'private, max-age=31536000, immutable',
    });
    const known = await thumbnail(index, query, { 'if-none-match': reply.headers['etag'] ?? '' });
    expect([known.status, known.bytes.length]).toEqual([304, 0]);
  });

  it.each(['edge=31', 'edge=2049', 'width=9'])('rejects ?%s', async (query) => {
    expect((await thumbnail('0', query)).status).toBe(422);
  });
});
