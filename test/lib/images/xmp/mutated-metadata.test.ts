import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkContainer, sniff } from '../../../../lib/images/container/containers.ts';
import { readRecord } from '../../../../lib/images/xmp/image-xmp.ts';
import { toXmpJson } from '../../../../lib/images/xmp/xmp-packet.ts';
import { RECORD_PROPERTY, valueIn } from '../../../../lib/images/xmp/xmp-properties.ts';
import { finish } from '../../../support/finish.ts';
import { slices } from '../../../support/slices.ts';
import { FOREIGN_PACKET, fiftyImages } from '../fifty-images.ts';
import { mutationsOf } from '../mutations.ts';
import { embedRecord } from './embed-record.ts';

const RUNS = 2000;

const limits = {
  max_encoded_bytes: 8 * 1024 * 1024,
  max_edge: 4096,
  max_pixels: 4 * 1024 * 1024,
  max_decode_ms: 10_000,
};
const { signal } = new AbortController();

const RECORD = toXmpJson(JSON.stringify({ version: '1', prompt: 'A cat & a "dog"' }));

/** Small images, because a change then hits headers and metadata more often than pixels. */
const IMAGES = (await fiftyImages()).filter(({ bytes }) => bytes.length < 20_000);
const WITH_RECORDS = await Promise.all(
  IMAGES.map(async (image) => {
    const embedded = await embedRecord(image, RECORD, signal);
    return embedded ?? expect.fail('the record was not embedded');
  }),
);

describe('mutated images', () => {
  it('originate from more than forty images', () => {
    expect(IMAGES.length).toBeGreaterThan(40);
  });

  it('accept a record if the image is valid, and grow only by the length of the record', async () => {
    const all = [...IMAGES.map(({ bytes }) => bytes), ...WITH_RECORDS];
    const property = fc.asyncProperty(mutationsOf(all), async ({ bytes }) => {
      const isValid = finish(checkContainer(bytes, limits)).ok;
      // The engine embeds records only in valid images, but an invalid image must not break embedRecord either.
      const format = sniff(bytes) ?? 'png';

      const embedded = await embedRecord({ bytes, format }, RECORD, signal);

      expect(embedded?.length ?? 0).toBeLessThan(bytes.length + 64 * 1024);
      if (!isValid || embedded === undefined) return;
      const reading = await readRecord(embedded, limits, slices, signal);
      expect(reading).toEqual({ ok: true, record: RECORD });
    });

    await fc.assert(property, { seed: 20_240_503, numRuns: RUNS });
  });

  it('return a record or a fault when they are read', async () => {
    const property = fc.asyncProperty(mutationsOf(WITH_RECORDS), async ({ bytes }) => {
      const reading = await readRecord(bytes, limits, slices, signal);

      expect(reading.ok ? reading.record : reading.fault).toBeTypeOf('string');
    });

    await fc.assert(property, { seed: 20_240_504, numRuns: RUNS });
  });

  it('have packets that are either parsed or ignored', async () => {
    const packets = [FOREIGN_PACKET, FOREIGN_PACKET.replace('elsewhere', '<![CDATA[x]]>')];
    const buffers = packets.map((packet) => Buffer.from(packet));
    const property = fc.asyncProperty(mutationsOf(buffers), async ({ bytes }) => {
      const record = await valueIn(bytes.toString('utf8'), RECORD_PROPERTY);

      expect(record).toBeUndefined();
    });

    await fc.assert(property, { seed: 20_240_505, numRuns: RUNS });
  });
});
