import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import type { Credentials } from '../../../lib/provenance/credentials.ts';
import { isOnlyInserted } from '../../../lib/provenance/signed-copy.ts';
import { tryOutSigning } from '../../../lib/provenance/signing-trial.ts';
import {
  type CertificateOptions,
  trialCertificates,
} from '../../support/provenance/certificates.ts';
import { CREATED, FORMATS, sampleImage } from '../../support/provenance/signed-images.ts';
import { openTrialCredentials } from '../../support/provenance/trial-credentials.ts';
import { slices } from '../../support/slices.ts';
import { insertAfterSoi, multiImage, segment } from '../images/container/jpeg-bytes.ts';

const { signal } = new AbortController();
const limits = {
  max_encoded_bytes: 33_554_432,
  max_edge: 16_384,
  max_pixels: 67_108_864,
  max_decode_ms: 10_000,
};
const engine = createImageEngine({ limits, clock: systemClock, slices });
const opened: Credentials[] = [];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signing-'));
});
afterAll(async () => {
  for (const credentials of opened) await credentials.close();
  await engine.close();
  await rm(folder, { recursive: true });
});

async function open(options: CertificateOptions = {}, clock = systemClock) {
  const trial = await openTrialCredentials(folder, { certificates: options, clock });
  opened.push(trial.credentials);
  return trial;
}

async function checked(bytes: Buffer) {
  const inspection = await engine.check(bytes, signal);
  return inspection.ok ? inspection.image : expect.fail(inspection.fault);
}

describe('openCredentials', () => {
  test.each(FORMATS)('signs a %s so that its decoded facts stay true', async (format) => {
    const { credentials } = await open();
    const image = await checked(await sampleImage(format));

    const signing = await credentials.sign(image, CREATED, signal);

    if (!signing.ok) expect.fail(signing.failure);
    expect(await checked(signing.image.bytes)).toEqual(signing.image);
    expect(isOnlyInserted(image.bytes, signing.image.bytes, format)).toBe(true);
    expect(await credentials.validate(signing.image, signal)).toMatchObject({
      state: 'trusted',
      manifest: { signer: 'Example Organisation', generator: 'image-bridge 1.2.3' },
    });
  });

  test('leaves a JPEG with an index of further images unsigned', async () => {
    const { credentials, failures } = await open();
    // The library writes a manifest behind the JFIF segment, and so between the index and the further image.
    const jfif = segment(0xe0, Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\0\0', 'latin1'));
    const main = insertAfterSoi(await sampleImage('jpeg'), jfif);
    const image = await checked(multiImage(main, [await sampleImage('jpeg', 16)]));

    const signing = await credentials.sign(image, CREATED, signal);

    expect(signing).toEqual({ ok: false, failure: 'altered' });
    expect(failures.at(-1)).toBe('altered');
  });

  test('signs no image after the certificate has ended', async () => {
    let nowMs = Date.now();
    const { credentials } = await open({ days: 2 }, { ...systemClock, nowMs: () => nowMs });
    const image = await checked(await sampleImage('png'));
    nowMs += 3 * 86_400_000;

    expect(await credentials.sign(image, CREATED, signal)).toEqual({
      ok: false,
      failure: 'expired',
    });
  });

  test('signs with a certificate that replaces the earlier one, and ignores a broken one', async () => {
    const { credentials, files, reported } = await open();
    const image = await checked(await sampleImage('png'));
    const next = trialCertificates({ organisation: 'Next Organisation' });
    const signer = async () => {
      const signing = await credentials.sign(image, CREATED, signal);
      if (!signing.ok) return signing.failure;
      return (await credentials.validate(signing.image, signal))?.manifest?.signer;
    };

    await writeFile(files.certificate_file, next.chain);
    const mismatched = await signer();
    await writeFile(files.key_file, next.key);

    expect(mismatched).toBe('Example Organisation');
    expect(reported).toHaveLength(1);
    expect(await signer()).toBe('Next Organisation');
  });

  test('throws if a file is unusable', async () => {
    await expect(open({ days: -0.5 })).rejects.toThrow('contains an expired certificate');
  });
});

describe('tryOutSigning', () => {
  test('resolves with the days until the certificate expires', async () => {
    const { credentials } = await open({ days: 12.5 });

    expect(await tryOutSigning(credentials, systemClock, signal)).toBe(12);
  });

  test('rejects a certificate that may not sign credentials', async () => {
    const { credentials } = await open({ lacksUsage: true });

    await expect(tryOutSigning(credentials, systemClock, signal)).rejects.toThrow(
      'provenance.signing.certificate_file: must contain a certificate that may sign credentials',
    );
  });
});

describe('a signed image', () => {
  test('contains no path of the certificates', async () => {
    const { credentials, files } = await open();
    const image = await checked(await sampleImage('png'));

    const signing = await credentials.sign(image, CREATED, signal);

    if (!signing.ok) expect.fail(signing.failure);
    const text = signing.image.bytes.toString('latin1');
    const key = (await readFile(files.key_file, 'utf8')).split('\n')[1] ?? '';
    expect([folder, key, 'PRIVATE'].some((secret) => text.includes(secret))).toBe(false);
  });
});
