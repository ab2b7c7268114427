import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createArtifactCredentials } from '../../../lib/provenance/artifact-credentials.ts';
import type { Credentials } from '../../../lib/provenance/credentials.ts';
import { trialCertificates } from '../../support/provenance/certificates.ts';
import {
  createProviderSigner,
  FORMATS,
  sampleImage,
} from '../../support/provenance/signed-images.ts';
import { openTrialCredentials } from '../../support/provenance/trial-credentials.ts';
import { slices } from '../../support/slices.ts';
import { manifestBox } from '../images/container/manifest-bytes.ts';
import { chunk, insertAfterHeader } from '../images/container/png-bytes.ts';

const { signal } = new AbortController();
const limits = {
  max_encoded_bytes: 33_554_432,
  max_edge: 16_384,
  max_pixels: 67_108_864,
  max_decode_ms: 10_000,
};
const engine = createImageEngine({ limits, clock: systemClock, slices });
const provider = createProviderSigner(trialCertificates({ organisation: 'Provider of Tests' }));
let folder = '';
let credentials: Credentials;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'artifact-credentials-'));
  ({ credentials } = await openTrialCredentials(folder));
});
afterAll(async () => {
  await credentials.close();
  await provider.close();
  await engine.close();
  await rm(folder, { recursive: true });
});

const PROVENANCE = { found: 'present', credentials: 'kept', mark: 'none' } as const;

function reportsOf(
  bytes: Buffer,
  format: OutputFormat,
  own: Pick<Credentials, 'validate'> = credentials,
) {
  const { maxManifestBytes } = credentials;
  return createArtifactCredentials({
    artifacts: {
      open: async () => ({
        record: { format, name: 'folder/a.b.png', provenance: PROVENANCE },
        bytes,
      }),
    },
    engine,
    credentials: { validate: own.validate, maxManifestBytes },
  });
}

describe('createArtifactCredentials', () => {
  test.each(FORMATS)('reports the signer and the manifest of a signed %s', async (format) => {
    const reports = reportsOf(await provider.sign(await sampleImage(format), format), format);

    const report = await reports.report('anonymous', 'id', signal);

    expect(report).toMatchObject({
      provenance: PROVENANCE,
      state: 'valid',
      manifest: { signer: 'Provider of Tests', actions: [{ action: 'c2pa.created' }] },
    });
  });

  test('an image without credentials has the state none and no manifest', async () => {
    const reports = reportsOf(await sampleImage('png'), 'png');

    expect(await reports.report('anonymous', 'id', signal)).toEqual({
      provenance: PROVENANCE,
      state: 'none',
    });
  });

  test('credentials above the limit are too_large and are not validated', async () => {
    const png = insertAfterHeader(
      await sampleImage('png'),
      chunk('caBX', manifestBox(undefined, 65_536)),
    );
    const validate = () => Promise.reject(new Error('unexpected call'));

    const report = await reportsOf(png, 'png', { validate }).report('anonymous', 'id', signal);

    expect(report.state).toBe('too_large');
  });

  test('credentials whose check fails are present', async () => {
    const signed = await provider.sign(await sampleImage('png'), 'png');
    const reports = reportsOf(signed, 'png', { validate: async () => undefined });

    expect((await reports.report('anonymous', 'id', signal)).state).toBe('present');
  });

  test.each(FORMATS)('returns the manifest store of a %s as a file of its own', async (format) => {
    const signed = await provider.sign(await sampleImage(format), format);

    const { name, store } = await reportsOf(signed, format).manifest('anonymous', 'id', signal);

    expect(name).toBe('folder/a.b.png');
    expect(store.readUInt32BE(0)).toBe(store.length);
    expect(store.toString('latin1', 4, 8)).toBe('jumb');
    // In another image, the manifest is readable and says that the pixels differ.
    const other = insertAfterHeader(await sampleImage('png', 16), chunk('caBX', store));
    expect(await reportsOf(other, 'png').report('anonymous', 'id', signal)).toMatchObject({
      state: 'invalid',
      manifest: { signer: 'Provider of Tests', actions: [{ action: 'c2pa.created' }] },
    });
  });

  test.each<[string, () => Promise<Buffer>]>([
    ['no manifest', () => sampleImage('png')],
    [
      'two manifest stores',
      async () => {
        const box = chunk('caBX', manifestBox());
        return insertAfterHeader(await sampleImage('png'), box, box);
      },
    ],
  ])('has no file for an image with %s', async (_, image) => {
    const reports = reportsOf(await image(), 'png');

    await expect(reports.manifest('anonymous', 'id', signal)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('checks run one at a time, and the eighteenth is rejected as overloaded', async () => {
    const signed = await provider.sign(await sampleImage('png'), 'png');
    const end = Promise.withResolvers<undefined>();
    let running = 0;
    let most = 0;
    const validate = async () => {
      running += 1;
      most = Math.max(most, running);
      await end.promise;
      running -= 1;
      return undefined;
    };
    const reports = reportsOf(signed, 'png', { validate });
    const accepted = Array.from({ length: 17 }, () => reports.report('anonymous', 'id', signal));

    await expect(reports.report('anonymous', 'id', signal)).rejects.toMatchObject({
      code: 'overloaded',
    });
    end.resolve(undefined);
    const states = (await Promise.all(accepted)).map(({ state }) => state);

    expect(new Set(states)).toEqual(new Set(['present']));
    expect(most).toBe(1);
  });
});
