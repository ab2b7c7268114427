import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CREDENTIAL_FAILURES } from '../../../../lib/metrics/metrics.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import type { Credentials } from '../../../../lib/provenance/credentials.ts';
import { trialCertificates } from '../../../support/provenance/certificates.ts';
import { createProviderSigner, sampleImage } from '../../../support/provenance/signed-images.ts';
import { openTrialCredentials } from '../../../support/provenance/trial-credentials.ts';
import { insertAfterSoi, multiImage, segment } from '../../images/container/jpeg-bytes.ts';
import { anything } from '../capability-documents.ts';
import { type GenerationRig, openGenerationRig } from '../generation-rig.ts';
import { inlineBytes } from '../inline-bytes.ts';
import { requestOf } from '../requests.ts';

type Trial = Awaited<ReturnType<typeof openTrialCredentials>>;
type Parts = Omit<Credentials, 'validUntilMs' | 'close'>;

const provider = createProviderSigner(trialCertificates({ organisation: 'Provider of Tests' }));
const rigs: GenerationRig[] = [];
const opened: Credentials[] = [];
let folder = '';
let signed: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credential-failures-'));
  signed = await provider.sign(await sampleImage('png'), 'png');
});
afterAll(async () => {
  for (const rig of rigs) await rig.close();
  for (const credentials of opened) await credentials.close();
  await provider.close();
  await rm(folder, { recursive: true });
});

async function open(options: Parameters<typeof openTrialCredentials>[1] = {}): Promise<Trial> {
  const trial = await openTrialCredentials(folder, options);
  opened.push(trial.credentials);
  return trial;
}

/** Delivers an image of the provider in this format, and returns the reply with the number of provider calls. */
async function deliver(credentials: Parts, bytes: Buffer, sent: object) {
  const outputs = [{ bytes, anyFormat: true }] as const;
  const rig = await openGenerationRig(
    { reply: (call) => call.succeed({ outputs: [...outputs] }) },
    anything,
    {},
    [],
    credentials,
  );
  rigs.push(rig);
  const request = requestOf({ policies: { compatibility: 'best_effort' }, ...sent });
  const { response } = await rig.run(request, rig.newContext()).result;
  const [image] = response.data;
  return {
    bytes: inlineBytes(image),
    provenance: image?.provenance,
    warnings: response.warnings,
    calls: rig.provider.calls.length,
  };
}

const CONVERSION = { parameters: { output_format: 'webp' } };

const LOST = {
  provenance: { credentials: 'dropped', reason: 'signing_failed' },
  warnings: ['output_format_converted', 'credentials_dropped', 'signing_failed'],
  calls: 1,
};

const { signal } = new AbortController();

/** Occupies the thread and its queue while `run` adds one more task. */
async function whileFull<T>(credentials: Credentials, run: () => Promise<T>): Promise<T> {
  const image = { bytes: signed, format: 'png' } as const;
  const others = Array.from({ length: 17 }, () => credentials.validate(image, signal));
  const result = await run();
  await Promise.all(others);
  return result;
}

describe('an image whose credentials cannot be renewed', () => {
  test.each(CREDENTIAL_FAILURES)(
    'is delivered with the loss named if signing fails as %s, and is charged once',
    async (failure) => {
      const { credentials } = await open();
      const sign = async () => ({ ok: false, failure }) as const;

      const delivered = await deliver({ ...credentials, sign }, signed, CONVERSION);

      expect(delivered).toMatchObject(LOST);
      expect(delivered.provenance?.found).toBe('valid');
    },
  );

  test.each<[string, string, (trial: Trial) => Partial<Parts>]>([
    [
      'the queue is full when it is checked',
      'busy',
      ({ credentials }) => ({
        validate: (image, end) => whileFull(credentials, () => credentials.validate(image, end)),
      }),
    ],
    [
      'the queue is full when it is signed',
      'busy',
      ({ credentials }) => ({
        sign: (...given) => whileFull(credentials, () => credentials.sign(...given)),
      }),
    ],
    [
      'the bridge stops before it is signed',
      'closed',
      ({ credentials }) => ({
        async sign(...given) {
          await credentials.close();
          return credentials.sign(...given);
        },
      }),
    ],
    [
      'the library refuses its original',
      'refused',
      ({ credentials }) => ({
        sign: (image, claim, end) =>
          credentials.sign(image, { ...claim, ...UNREADABLE_ORIGINAL }, end),
      }),
    ],
  ])('is delivered with the loss named if %s', async (_, failure, partsOf) => {
    const trial = await open();
    const parts = partsOf(trial);

    const delivered = await deliver({ ...trial.credentials, ...parts }, signed, CONVERSION);

    expect(delivered).toMatchObject(LOST);
    expect(trial.failures).toContain(failure);
  });

  test('is delivered with the loss named if the thread is killed while it signs, and the next image is signed', async () => {
    const { credentials, failures } = await open();
    const threads: Worker[] = [];
    const onStart = (thread: Worker) => threads.push(thread);
    process.on('worker', onStart);
    await credentials.validate({ bytes: signed, format: 'png' }, signal);
    process.off('worker', onStart);
    const [thread] = threads;
    if (thread === undefined) expect.fail('no thread has started');
    const sign: Parts['sign'] = (...given) => {
      const post = vi.spyOn(thread, 'postMessage').mockImplementation((task) => {
        post.mockRestore();
        thread.postMessage(task);
        void thread.terminate();
      });
      return credentials.sign(...given);
    };

    const delivered = await deliver({ ...credentials, sign }, signed, CONVERSION);
    const next = await deliver(credentials, signed, CONVERSION);

    expect(delivered).toMatchObject(LOST);
    expect(failures).toEqual(['trapped']);
    expect(next.provenance).toMatchObject({ found: 'valid', credentials: 'resigned' });
  });

  test('is delivered with the loss named if its check takes too long', async () => {
    const { credentials, failures } = await open({ settings: { timeout_ms: 0 } });

    const delivered = await deliver(credentials, signed, CONVERSION);

    expect(delivered).toMatchObject(LOST);
    expect(delivered.provenance?.found).toBe('present');
    expect(failures).toEqual(['timed_out']);
  });

  test('is delivered with the loss named if the certificate has ended', async () => {
    let nowMs = Date.now();
    const clock = { ...systemClock, nowMs: () => nowMs };
    const { credentials, failures } = await open({ certificates: { days: 2 }, clock });
    nowMs += 3 * 86_400_000;

    const delivered = await deliver(credentials, signed, CONVERSION);

    expect(delivered).toMatchObject(LOST);
    expect(failures).toEqual(['expired']);
  });

  test('is delivered unsigned if it is a JPEG with an index of further images', async () => {
    const { credentials, failures } = await open({ scope: 'all' });
    const jfif = segment(0xe0, Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\0\0', 'latin1'));
    const main = insertAfterSoi(await sampleImage('jpeg'), jfif);
    const given = multiImage(main, [await sampleImage('jpeg', 16)]);

    const delivered = await deliver(credentials, given, { parameters: { output_format: 'jpeg' } });

    expect(delivered.bytes.equals(given)).toBe(true);
    expect(delivered).toMatchObject({
      provenance: { found: 'none', credentials: 'none' },
      warnings: ['signing_failed'],
      calls: 1,
    });
    expect(failures).toEqual(['altered']);
  });
});

describe('an image that is signed while the files of the signer are unusable', () => {
  test.each<[string, (files: Trial['files']) => Promise<void>]>([
    [
      'the certificate is garbage',
      ({ certificate_file }) => writeFile(certificate_file, 'garbage'),
    ],
    ['the key has vanished', ({ key_file }) => rm(key_file)],
    ['the trust anchors have vanished', ({ trust_anchors_file }) => rm(trust_anchors_file)],
  ])('is signed with the earlier files if %s', async (_, harm) => {
    const { credentials, files, reported } = await open();
    await harm(files);

    const delivered = await deliver(credentials, signed, CONVERSION);

    expect(delivered).toMatchObject({
      provenance: { found: 'valid', credentials: 'resigned' },
      warnings: ['output_format_converted'],
      calls: 1,
    });
    const report = await credentials.validate({ bytes: delivered.bytes, format: 'webp' }, signal);
    expect(report).toMatchObject({
      state: 'trusted',
      manifest: { signer: 'Example Organisation' },
    });
    expect(reported).toHaveLength(1);
  });
});

/** The original of a claim, with bytes that are no image. */
const UNREADABLE_ORIGINAL = {
  original: { bytes: Buffer.from('no image'), format: 'png', hasCredentials: true },
} as const;
