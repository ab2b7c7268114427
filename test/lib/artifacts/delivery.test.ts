import { createHash } from 'node:crypto';
import {
  appendFile,
  open,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactRecord, ArtifactStore } from '../../../lib/artifacts/artifact-store-port.ts';
import { type ArtifactDelivery, createArtifactDelivery } from '../../../lib/artifacts/delivery.ts';
import { createImageDelivery } from '../../../lib/artifacts/image-delivery.ts';
import type { StoredImageFile } from '../../../lib/artifacts/image-delivery-port.ts';
import { type ImageEngine, inParts, type VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { END, header, PIXELS, png } from '../images/container/png-bytes.ts';
import { type ArtifactRig, imageOf, noAbort, openArtifactRig } from './artifact-rig.ts';

const LIMITS = {
  max_encoded_bytes: 33_554_432,
  max_edge: 16_384,
  max_pixels: 67_108_864,
  max_decode_ms: 10_000,
};

let engine: ImageEngine;
let photo: VerifiedImage;
let rig: ArtifactRig;
let reads: string[];
let inspections: number;
let thumbnails: number;
let verifications: string[];

beforeAll(async () => {
  engine = createImageEngine({ limits: LIMITS, clock: systemClock, slices });
  const bytes = await readFile(new URL('../../data/photos/chelsea.png', import.meta.url));
  const inspection = await engine.inspect(bytes, noAbort);
  if (!inspection.ok) throw new Error('the photograph is not valid');
  photo = inspection.image;
});
afterAll(() => engine.close());

beforeEach(async () => {
  rig = await openArtifactRig();
  reads = [];
  inspections = 0;
  thumbnails = 0;
  verifications = [];
});
afterEach(() => rig.close());

/** A delivery that counts its reads and decodes. */
function deliver({
  cacheBytes = 10_000_000,
  find = rig.store.find,
}: {
  readonly cacheBytes?: number;
  readonly find?: ArtifactStore['find'];
} = {}): ArtifactDelivery {
  return createArtifactDelivery({
    store: { find },
    files: {
      stamp: rig.files.stamp,
      read(name, bytes) {
        reads.push(name);
        return rig.files.read(name, bytes);
      },
    },
    images: createImageDelivery({
      engine: {
        forDelivery: (scope) => ({
          ...engine.forDelivery(scope),
          inspect(bytes, signal) {
            inspections += 1;
            return engine.inspect(bytes, signal);
          },
          thumbnail(bytes, edgePx, signal) {
            thumbnails += 1;
            return engine.thumbnail(bytes, edgePx, signal);
          },
        }),
      },
      cacheBytes,
      metrics: { artifactVerified: (result) => verifications.push(result) },
    }),
  });
}

async function published(image = inParts(photo), scope = 'scope'): Promise<ArtifactRecord> {
  const target = { collision: 'error' } as const;
  const publications = await rig.publisher.publish(scope, [{ image }], target, noAbort);
  await rig.publisher.commit(publications);
  const [publication] = publications;
  if (publication === undefined) throw new Error('nothing was published');
  return publication.record;
}

const pathOf = ({ name }: ArtifactRecord) => join(rig.root, name);

const tamperings: readonly [string, (record: ArtifactRecord) => Promise<unknown>][] = [
  ['is missing', (record) => rm(pathOf(record))],
  ['has grown', (record) => appendFile(pathOf(record), 'x')],
  ['was cut', async (record) => truncate(pathOf(record), record.bytes - 1)],
  ['was emptied', async (record) => truncate(pathOf(record), 0)],
  ['has one flipped bit', async (record) => flipBit(pathOf(record), record.bytes >> 1)],
  [
    'was replaced by another of its length',
    async (record) => {
      await writeFile(`${pathOf(record)}.new`, Buffer.alloc(record.bytes));
      await rename(`${pathOf(record)}.new`, pathOf(record));
    },
  ],
  [
    'was replaced by a link to an equal file',
    async (record) => {
      await rename(pathOf(record), join(rig.directory, 'moved.png'));
      await symlink(join(rig.directory, 'moved.png'), pathOf(record));
    },
  ],
];

describe('delivery.open', () => {
  test('the owner gets the published bytes and the record', async () => {
    const record = await published();

    const opened = await deliver().open('scope', record.id, noAbort);

    expect(opened.record).toEqual(record);
    expect(opened.bytes.equals(photo.bytes)).toBe(true);
  });

  test.each([
    ['a foreign scope', 'other', undefined],
    ['an unknown id', 'scope', 'f'.repeat(32)],
    ['a malformed id', 'scope', '../../etc/passwd'],
  ])('%s gets the same error, and no file is opened', async (_, scope, id) => {
    const record = await published();

    const outcome = deliver().open(scope, id ?? record.id, noAbort);

    await expect(outcome).rejects.toMatchObject({
      code: 'not_found',
      message: 'artifact not found',
      details: {},
    });
    expect(reads).toEqual([]);
  });

  test('a publication that was not committed is not found', async () => {
    const target = { collision: 'error' } as const;
    const [pending] = await rig.publisher.publish(
      'scope',
      [{ image: inParts(photo) }],
      target,
      noAbort,
    );

    const outcome = deliver().open('scope', pending?.record.id ?? '', noAbort);

    await expect(outcome).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an unchanged file is read and decoded once', async () => {
    const record = await published();
    const delivery = deliver();

    const first = await delivery.open('scope', record.id, noAbort);
    const second = await delivery.open('scope', record.id, noAbort);

    expect(second.bytes).toBe(first.bytes);
    expect([reads.length, inspections]).toEqual([1, 1]);
  });

  test('concurrent opens share one verification', async () => {
    const record = await published();
    const delivery = deliver();

    const opened = await Promise.all(
      Array.from({ length: 20 }, () =>
        delivery.open('scope', record.id, new AbortController().signal),
      ),
    );

    expect(new Set(opened.map(({ bytes }) => bytes)).size).toBe(1);
    expect([reads.length, inspections]).toEqual([1, 1]);
  });

  test('equal images under two names are each verified and cached', async () => {
    const records = [await published(), await published()];
    const delivery = deliver({ cacheBytes: photo.bytes.byteLength + 1000 });

    for (const { id } of [...records, ...records]) await delivery.open('scope', id, noAbort);

    expect(reads.sort()).toEqual(records.map(({ name }) => name).sort());
  });

  test('every open verifies the image if the cache is too small for it', async () => {
    const record = await published();
    const delivery = deliver({ cacheBytes: photo.bytes.byteLength - 1 });

    await delivery.open('scope', record.id, noAbort);
    await delivery.open('scope', record.id, noAbort);

    expect([reads.length, inspections]).toEqual([2, 2]);
  });

  test('a file with a new time and the same content is verified again and delivered', async () => {
    const record = await published();
    const delivery = deliver();
    await delivery.open('scope', record.id, noAbort);

    await utimes(pathOf(record), 1, 1);
    const again = await delivery.open('scope', record.id, noAbort);

    expect(again.bytes.equals(photo.bytes)).toBe(true);
    expect(reads).toHaveLength(2);
  });

  describe.each(['before its first delivery', 'after it was cached'])('changed %s', (when) => {
    test.each(tamperings)('a file that %s is an artifact error, never bytes', async (_, tamper) => {
      const record = await published();
      const delivery = deliver();
      if (when === 'after it was cached') await delivery.open('scope', record.id, noAbort);

      await tamper(record);
      const outcome = delivery.open('scope', record.id, noAbort);

      await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
    });
  });

  test('a file that was changed in place and had its time restored is an artifact error', async () => {
    const record = await published();
    const delivery = deliver();
    await utimes(pathOf(record), 1, 1);
    await delivery.open('scope', record.id, noAbort);

    await flipBit(pathOf(record), record.bytes >> 1);
    await utimes(pathOf(record), 1, 1);
    const outcome = delivery.open('scope', record.id, noAbort);

    await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
  });

  test('each verification is counted with its outcome, and a delivery without a verification is not counted', async () => {
    const intact = await published();
    const broken = await published();
    await writeFile(pathOf(broken), 'no image');
    const delivery = deliver();

    await delivery.open('scope', intact.id, noAbort);
    await delivery.open('scope', intact.id, noAbort);
    await expect(delivery.open('scope', broken.id, noAbort)).rejects.toThrow();
    await expect(delivery.open('other', intact.id, noAbort)).rejects.toThrow();

    expect(verifications).toEqual(['succeeded', 'failed']);
  });

  test('a file with the right checksum that is not an image is an artifact error', async () => {
    const record = await published(imageOf('no image at all'));

    const outcome = deliver().open('scope', record.id, noAbort);

    await expect(outcome).rejects.toMatchObject({
      code: 'artifact',
      details: { reason: 'undecodable' },
    });
  });

  test('another valid image of the same length is an artifact error', async () => {
    const other = Buffer.from(photo.bytes);
    const sha256 = createHash('sha256').update('something else').digest('hex');
    const record = await published(inParts({ ...photo, bytes: other, sha256 }));

    const outcome = deliver().open('scope', record.id, noAbort);

    await expect(outcome).rejects.toMatchObject({
      code: 'artifact',
      details: { reason: 'changed' },
    });
  });

  test('a restored file is delivered again', async () => {
    const record = await published();
    const delivery = deliver();
    await rm(pathOf(record));
    await delivery.open('scope', record.id, noAbort).catch(() => undefined);

    await writeFile(pathOf(record), photo.bytes);

    const opened = await delivery.open('scope', record.id, noAbort);
    expect(opened.bytes.equals(photo.bytes)).toBe(true);
  });

  test('an artifact that expires while its file is read is not found', async () => {
    const record = await published();
    const delivery = createArtifactDelivery({
      store: rig.store,
      files: {
        stamp: rig.files.stamp,
        async read() {
          await rig.store.withdraw([record.id]);
          return undefined;
        },
      },
      images: createImageDelivery({
        engine,
        cacheBytes: 1,
        metrics: { artifactVerified: (result) => verifications.push(result) },
      }),
    });

    const outcome = delivery.open('scope', record.id, noAbort);

    await expect(outcome).rejects.toMatchObject({ code: 'not_found' });
    expect(verifications).toEqual([]);
  });

  test('a forgotten artifact is verified again, with its thumbnails', async () => {
    const record = await published();
    const delivery = deliver();
    await delivery.open('scope', record.id, noAbort);
    await delivery.openThumbnail('scope', record.id, 64, noAbort);

    delivery.forget([record]);
    await delivery.open('scope', record.id, noAbort);
    await delivery.openThumbnail('scope', record.id, 64, noAbort);

    expect([reads.length, inspections, thumbnails]).toEqual([4, 2, 2]);
  });

  test('a cached image is delivered without the store', async () => {
    const record = await published();
    let finds = 0;
    const delivery = deliver({
      find(scope, id) {
        finds += 1;
        return rig.store.find(scope, id);
      },
    });

    await delivery.open('scope', record.id, noAbort);
    const again = await delivery.open('scope', record.id, noAbort);

    expect(again.record).toEqual(record);
    expect(finds).toBe(1);
  });

  test('a forgotten artifact is not found once it was withdrawn, although its file still exists', async () => {
    const record = await published();
    const delivery = deliver();
    await delivery.open('scope', record.id, noAbort);

    await rig.store.withdraw([record.id]);
    delivery.forget([record]);
    const outcome = delivery.open('scope', record.id, noAbort);

    await expect(outcome).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a record is not remembered if its artifact is removed while the store looks for it', async () => {
    const record = await published();
    const delivery = deliver({
      async find(scope, id) {
        const found = await rig.store.find(scope, id);
        await rig.store.withdraw([id]);
        delivery.forget([record]);
        return found;
      },
    });

    await delivery.open('scope', record.id, noAbort);
    const outcome = delivery.open('scope', record.id, noAbort);

    await expect(outcome).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a remembered record is not found by another scope', async () => {
    const record = await published();
    const delivery = deliver();
    await delivery.open('scope', record.id, noAbort);

    const outcome = delivery.open('other', record.id, noAbort);

    await expect(outcome).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an aborted caller does not abort the verification for other callers', async () => {
    const record = await published();
    const delivery = deliver();
    const client = new AbortController();

    const aborted = delivery.open('scope', record.id, client.signal);
    const stayed = delivery.open('scope', record.id, noAbort);
    client.abort(new Error('disconnected'));

    await expect(aborted).rejects.toThrow('disconnected');
    expect((await stayed).bytes.equals(photo.bytes)).toBe(true);
  });
});

describe('delivery.openThumbnail', () => {
  test('the owner gets a verified PNG of the requested edge, and the checksum of the PNG', async () => {
    const record = await published();

    const opened = await deliver().openThumbnail('scope', record.id, 64, noAbort);

    const inspection = await engine.inspect(opened.bytes, noAbort);
    expect(opened.record).toEqual(record);
    expect(inspection).toMatchObject({
      ok: true,
      image: { format: 'png', width: 64, height: 43, sha256: opened.sha256 },
    });
  });

  test.each([
    ['a foreign scope', 'other', undefined],
    ['an unknown id', 'scope', 'f'.repeat(32)],
    ['a malformed id', 'scope', '../../etc/passwd'],
  ])('%s gets the same error, and no file is opened', async (_, scope, id) => {
    const record = await published();

    const outcome = deliver().openThumbnail(scope, id ?? record.id, 64, noAbort);

    await expect(outcome).rejects.toMatchObject({
      code: 'not_found',
      message: 'artifact not found',
      details: {},
    });
    expect(reads).toEqual([]);
  });

  test('each size is generated once, from one read and one decode', async () => {
    const record = await published();
    const delivery = deliver();

    const first = await delivery.openThumbnail('scope', record.id, 64, noAbort);
    const second = await delivery.openThumbnail('scope', record.id, 64, noAbort);
    const other = await delivery.openThumbnail('scope', record.id, 65, noAbort);

    expect(second.bytes).toBe(first.bytes);
    expect(other.sha256).not.toBe(first.sha256);
    expect([reads.length, thumbnails, inspections]).toEqual([2, 2, 0]);
  });

  test('concurrent equal requests share one verification', async () => {
    const record = await published();
    const delivery = deliver();

    const opened = await Promise.all(
      Array.from({ length: 20 }, () =>
        delivery.openThumbnail('scope', record.id, 64, new AbortController().signal),
      ),
    );

    expect(new Set(opened.map(({ bytes }) => bytes)).size).toBe(1);
    expect([reads.length, thumbnails]).toEqual([1, 1]);
  });

  test('a file and its thumbnail never share one cache entry', async () => {
    const record = await published();
    const delivery = deliver();

    const whole = await delivery.open('scope', record.id, noAbort);
    const small = await delivery.openThumbnail('scope', record.id, 64, noAbort);
    const again = await delivery.open('scope', record.id, noAbort);

    expect(small.bytes.equals(whole.bytes)).toBe(false);
    expect(again.bytes).toBe(whole.bytes);
  });

  test('a file with a new time is verified again and has the same thumbnail', async () => {
    const record = await published();
    const delivery = deliver();
    const before = await delivery.openThumbnail('scope', record.id, 64, noAbort);

    await utimes(pathOf(record), 1, 1);
    const after = await delivery.openThumbnail('scope', record.id, 64, noAbort);

    expect(after.bytes.equals(before.bytes)).toBe(true);
    expect([reads.length, thumbnails]).toEqual([2, 2]);
  });

  test('equal images under two names are each verified and cached', async () => {
    const records = [await published(), await published()];
    const delivery = deliver();

    for (const { id } of [...records, ...records]) {
      await delivery.openThumbnail('scope', id, 64, noAbort);
    }

    expect(reads.sort()).toEqual(records.map(({ name }) => name).sort());
  });

  describe.each(['before its first thumbnail', 'after one was cached'])('changed %s', (when) => {
    test.each(tamperings)('a file that %s is an artifact error, never bytes', async (_, tamper) => {
      const record = await published();
      const delivery = deliver();
      if (when === 'after one was cached') {
        await delivery.openThumbnail('scope', record.id, 64, noAbort);
      }

      await tamper(record);
      const outcome = delivery.openThumbnail('scope', record.id, 64, noAbort);

      await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
    });
  });

  test('a valid image with another checksum is an artifact error', async () => {
    const sha256 = createHash('sha256').update('something else').digest('hex');
    const record = await published(inParts({ ...photo, sha256 }));

    const outcome = deliver().openThumbnail('scope', record.id, 64, noAbort);

    await expect(outcome).rejects.toMatchObject({
      code: 'artifact',
      details: { reason: 'changed' },
    });
  });

  test('a stored file with more pixels than the limit is an artifact error', async () => {
    const row = { width: 16_384, height: 16_384 };
    const record = await published(imageOf(png(header(row), PIXELS, END)));

    const outcome = deliver().openThumbnail('scope', record.id, 64, noAbort);

    await expect(outcome).rejects.toMatchObject({
      code: 'artifact',
      details: { reason: 'undecodable' },
    });
  });

  test('each verification is counted with its outcome, and a delivery without a verification is not counted', async () => {
    const intact = await published();
    const broken = await published();
    await writeFile(pathOf(broken), 'no image');
    const delivery = deliver();

    await delivery.openThumbnail('scope', intact.id, 64, noAbort);
    await delivery.openThumbnail('scope', intact.id, 64, noAbort);
    await expect(delivery.openThumbnail('scope', broken.id, 64, noAbort)).rejects.toThrow();

    expect(verifications).toEqual(['succeeded', 'failed']);
  });

  test('an aborted caller does not abort the thumbnail for other callers', async () => {
    const record = await published();
    const delivery = deliver();
    const client = new AbortController();

    const aborted = delivery.openThumbnail('scope', record.id, 64, client.signal);
    const stayed = delivery.openThumbnail('scope', record.id, 64, noAbort);
    client.abort(new Error('disconnected'));

    await expect(aborted).rejects.toThrow('disconnected');
    expect((await stayed).bytes.byteLength).toBeGreaterThan(0);
  });

  test.each([
    ['one scope', 1, 3],
    ['several scopes', 5, 4],
  ])(
    'reads few files of %s at once, because they wait in memory for their decodes',
    async (_, scopes, expected) => {
      let held = 0;
      let most = 0;
      const images = createImageDelivery({
        engine: {
          forDelivery: (scope) => ({
            ...engine.forDelivery(scope),
            inspect: (bytes, signal) =>
              engine.inspect(bytes, signal).finally(() => {
                held -= 1;
              }),
          }),
        },
        cacheBytes: 0,
      });
      const fileOf = (key: string): StoredImageFile => ({
        key,
        scope: `scope ${Number(key) % scopes}`,
        sha256: photo.sha256,
        stamp: async () => undefined,
        async read() {
          held += 1;
          most = Math.max(most, held);
          return { bytes: photo.bytes, stamp: undefined };
        },
        refuseRemoved: async () => undefined,
      });

      const opened = Array.from({ length: 20 }, (_, nth) =>
        images.whole(fileOf(`${nth}`), noAbort),
      );

      expect(await Promise.all(opened)).toHaveLength(20);
      expect(most).toBe(expected);
    },
  );
});

async function truncate(path: string, length: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.truncate(length);
  await file.close();
}

async function flipBit(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  await file.write(Buffer.from([byte.readUInt8(0) ^ 1]), 0, 1, at);
  await file.close();
}
