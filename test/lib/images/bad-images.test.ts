import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { readRecord } from '../../../lib/images/xmp/image-xmp.ts';
import { toXmpJson } from '../../../lib/images/xmp/xmp-packet.ts';
import { createInputVerifier } from '../../../lib/inputs/verify-inputs.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { openInputLoader } from '../../support/input-loader.ts';
import { slices } from '../../support/slices.ts';
import { fiftyImages } from './fifty-images.ts';
import { mutationsOf, resealed } from './mutations.ts';
import { complaintAbout, missingDecoders } from './outside-decoders.ts';
import { embedRecord } from './xmp/embed-record.ts';

/** The number of mutations. Set `IMAGE_MUTATIONS=5000` for a long run, and `IMAGE_SEED` for other mutations. */
const BY_HAND = process.env['IMAGE_MUTATIONS'];
const MUTATIONS = Number(BY_HAND ?? 250);
const SEED = Number(process.env['IMAGE_SEED'] ?? 20_241_121);
/** A folder with more valid and invalid files, such as the PNG test suite. */
const CORPUS = process.env['IMAGE_CORPUS'];
/** The time after which a file counts as a hang. Not limited while other tests share the machine. */
const HANG_MS = BY_HAND ? 5000 : Number.POSITIVE_INFINITY;
const MAX_GROWTH_BYTES = 256 * 1024 * 1024;

const limits = {
  max_encoded_bytes: 4 * 1024 * 1024,
  max_edge: 4096,
  max_pixels: 4 * 1024 * 1024,
  max_decode_ms: 10_000,
};
const { signal } = new AbortController();
const engine = createImageEngine({ limits, clock: systemClock, slices });
const verifier = createInputVerifier({
  engine,
  loader: openInputLoader(),
  limits: {
    max_bytes_each: 4 * 1024 * 1024,
    max_bytes_total: 4 * 1024 * 1024,
    max_pixels: 1e8,
    max_edge: 16_384,
    max_request_pixels: 1e9,
  },
});
const RECORD = toXmpJson(JSON.stringify({ version: '1', prompt: 'A cat & a "dog"' }));

const IMAGES = await fiftyImages();
const missing = await missingDecoders();

afterAll(() => engine.close());

test.runIf(process.env['CI'])('the outside decoders are installed in CI', () => {
  expect(missing).toEqual([]);
});

describe.skipIf(missing.length > 0)('bad images (skipped without the outside decoders)', () => {
  it.each(IMAGES)('originate from an image that all decoders accept: $what', async ({ bytes }) => {
    expect(await engine.inspect(bytes, signal)).toMatchObject({ ok: true });
    expect(await findings(bytes)).toEqual([]);
  });

  it('are rejected if other decoders reject them, and never cause a crash, a hang or high memory use', async () => {
    const originals = IMAGES.map(({ bytes }) => bytes);
    const property = fc.asyncProperty(
      mutationsOf(originals),
      fc.boolean(),
      async ({ bytes }, isResealed) => {
        expect(await findings(isResealed ? resealed(bytes) : bytes)).toEqual([]);
      },
    );

    const before = process.resourceUsage().maxRSS * 1024;
    await fc.assert(property, { seed: SEED, numRuns: MUTATIONS });
    expect(process.resourceUsage().maxRSS * 1024 - before).toBeLessThan(MAX_GROWTH_BYTES);
  }, 3_600_000);

  it.runIf(CORPUS)(
    'of a corpus are rejected if other decoders reject them',
    async () => {
      const folder = CORPUS ?? '';
      const found = [];
      for (const name of (await readdir(folder)).sort()) {
        const all = await findings(await readFile(join(folder, name)));
        found.push(...all.map((finding) => `${name}: ${finding}`));
      }

      expect(found).toEqual([]);
    },
    3_600_000,
  );
});

/** Runs `bytes` through all steps of an input image and returns what is wrong with the results. */
async function findings(bytes: Buffer): Promise<readonly string[]> {
  const startedMs = systemClock.monotonicMs();
  const inspection = await engine.inspect(bytes, signal);
  const checked = await engine.check(bytes, signal);
  const thumbnail = await engine.thumbnail(bytes, 64, signal);
  const asInput = await verifier
    .verify(
      { images: [{ kind: 'inline', field: 'images[0]', bytes }], references: [] },
      { scope: 'anonymous', signal },
    )
    .then(
      () => true,
      ({ code }) => (code === 'input' ? false : expect.fail(`inputs: ${code}`)),
    );
  const reading = await readRecord(bytes, limits, slices, signal);
  const embedded = inspection.ok ? await embedRecord(inspection.image, RECORD, signal) : undefined;
  const tookMs = systemClock.monotonicMs() - startedMs;
  const found: string[] = [];
  if (tookMs > HANG_MS) found.push(`took ${Math.round(tookMs)} ms`);
  if (checked.ok !== inspection.ok) found.push('inspect and check do not agree');
  if (thumbnail.ok !== inspection.ok) found.push('inspect and thumbnail do not agree');
  if (asInput !== inspection.ok) found.push('inspect and inputs do not agree');
  if (!inspection.ok) return found;
  if (!reading.ok && reading.fault !== 'no_record') found.push(`reading: ${reading.fault}`);
  for (const valid of [bytes, ...(embedded ? [embedded] : [])]) {
    const complaint = await complaintAbout(valid, inspection.image.format);
    if (complaint) found.push(complaint);
  }
  return found;
}
