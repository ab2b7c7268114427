import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createArtifactRoot } from '../../../../lib/artifacts/artifact-root.ts';
import type { ArtifactRecord } from '../../../../lib/artifacts/artifact-store-port.ts';
import { createArtifactDelivery } from '../../../../lib/artifacts/delivery.ts';
import { createImageDelivery } from '../../../../lib/artifacts/image-delivery.ts';
import { createPublisher } from '../../../../lib/artifacts/publisher.ts';
import { createArtifactRetention } from '../../../../lib/artifacts/retention.ts';
import { type ImageEngine, inParts, type VerifiedImage } from '../../../../lib/images/image.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { openS3Files, type S3Settings } from '../../../../lib/storage/s3/open-s3-files.ts';
import { type FaultyBucket, startFaultyBucket } from '../../../support/faulty-bucket.ts';
import { HAS_S3 } from '../../../support/s3-server.ts';
import { slices } from '../../../support/slices.ts';
import {
  type ArtifactRig,
  imageOf,
  noAbort,
  openArtifactRig,
} from '../../artifacts/artifact-rig.ts';

const LIMITS = {
  max_encoded_bytes: 33_554_432,
  max_edge: 16_384,
  max_pixels: 67_108_864,
  max_decode_ms: 10_000,
};
const UNAVAILABLE = { code: 'overloaded', details: { reason: 'artifact_store_unavailable' } };
const anyName = { collision: 'error' } as const;
const anyCat = { filename: 'cat.png', collision: 'suffix' } as const;

let engine: ImageEngine;
let photo: VerifiedImage;
let rig: ArtifactRig;
let bucket: FaultyBucket;
let bridge: Awaited<ReturnType<typeof openBridge>>;

beforeAll(async () => {
  engine = createImageEngine({ limits: LIMITS, clock: systemClock, slices });
  const bytes = await readFile(new URL('../../../data/photos/chelsea.png', import.meta.url));
  const inspection = await engine.inspect(bytes, noAbort);
  if (!inspection.ok) throw new Error('the photograph is not valid');
  photo = inspection.image;
});
afterAll(() => engine.close());

/** Opens the rooms that use the files of artifacts, on a real state and the bucket. */
async function openBridge(settings?: Partial<S3Settings>, linkAboveBytes?: number) {
  const { store } = rig;
  const ids = createIds(systemClock.nowMs);
  const opened = await openS3Files(
    { ...bucket.settings, ...settings },
    { clock: systemClock, ids },
  );
  const { artifactFiles: files } = opened;
  const artifactRoot = createArtifactRoot({ store, files });
  const publisher = createPublisher({ ...rig, clock: systemClock, store, files, artifactRoot });
  const images = createImageDelivery({ engine, cacheBytes: 10_000_000 });
  const delivery = createArtifactDelivery({ store, files, images, linkAboveBytes });
  return {
    ...{ artifactRoot, publisher, delivery, close: opened.close },
    retention: createArtifactRetention({
      ...{ store, files, artifactRoot, publisher, forget: delivery.forget },
      clock: { ...systemClock, nowMs: () => systemClock.nowMs() + 3_600_000 },
      maxAgeSecs: 60,
    }),
  };
}

async function published(image = inParts(photo)): Promise<ArtifactRecord> {
  const publications = await bridge.publisher.publish('scope', [{ image }], anyName, noAbort);
  await bridge.publisher.commit(publications);
  const [publication] = publications;
  if (publication === undefined) throw new Error('nothing was published');
  return publication.record;
}

describe.runIf(HAS_S3)('an artifact in a bucket', () => {
  beforeEach(async () => {
    rig = await openArtifactRig();
    bucket = await startFaultyBucket();
    bridge = await openBridge();
  });
  afterEach(async () => {
    bridge.close();
    await bucket.close();
    await rig.close();
  });

  test('is delivered, and its thumbnail is too', async () => {
    const { id } = await published();

    const whole = await bridge.delivery.open('scope', id, noAbort);
    const thumbnail = await bridge.delivery.openThumbnail('scope', id, 64, noAbort);

    expect(whole.bytes.equals(photo.bytes)).toBe(true);
    expect(thumbnail.bytes.length).toBeLessThan(photo.bytes.length);
  });

  test('costs one read and then one `HEAD` for each delivery from the cache', async () => {
    const { id, name } = await published();
    await bridge.delivery.open('scope', id, noAbort);
    const before = bucket.calls.length;

    await bridge.delivery.open('scope', id, noAbort);

    expect(bucket.calls.slice(before)).toEqual([`HEAD ${name}`]);
  });

  describe('with a URL of its own', () => {
    const asked = {
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="cat.png"',
    };
    const linkTo = (id: string, scope = 'scope') => bridge.delivery.link(scope, id, () => asked);

    beforeEach(async () => {
      bridge.close();
      bridge = await openBridge({}, photo.bytes.length - 1);
    });

    test('is read there without credentials, with the requested headers', async () => {
      const { id, name } = await published();
      const before = bucket.calls.length;

      const url = await linkTo(id);
      expect(bucket.calls.slice(before)).toEqual([`HEAD ${name}`]);
      const reply = await fetch(url ?? '');

      expect(reply.status).toBe(200);
      expect(Object.fromEntries(reply.headers)).toMatchObject(asked);
      expect(Buffer.from(await reply.arrayBuffer()).equals(photo.bytes)).toBe(true);
    });

    test('can be read for 60 seconds under this URL, which gives no access to another object', async () => {
      const { id, name } = await published();

      const url = new URL((await linkTo(id)) ?? '');
      expect(url.searchParams.get('X-Amz-Expires')).toBe('60');
      url.pathname = url.pathname.replace(name, '.image-bridge');

      expect((await fetch(url)).status).toBe(403);
    });

    test('has no URL for another scope, nor if its size is at the limit', async () => {
      const { id } = await published();
      await expect(linkTo(id, 'another')).rejects.toMatchObject({ code: 'not_found' });
      bridge.close();
      bridge = await openBridge({}, photo.bytes.length);

      expect(await linkTo(id)).toBeUndefined();
    });

    test.each([
      ['other bytes of the same length', (bytes: Buffer) => Buffer.alloc(bytes.length, 1)],
      ['the same bytes from another program', (bytes: Buffer) => bytes],
    ])('has no URL if it was replaced by %s', async (_, replace) => {
      const { id, name } = await published();
      await bucket.putForeign(name, replace(photo.bytes));

      expect(await linkTo(id)).toBeUndefined();
    });

    test('has no URL while the bucket is unavailable, and the failure is retryable', async () => {
      const { id } = await published();
      bucket.setFault(() => 'unavailable');

      await expect(linkTo(id)).rejects.toMatchObject({ ...UNAVAILABLE, retryable: true });
    });
  });

  test('gets the next name if another program has its name', async () => {
    await bucket.putForeign('cat.png', 'foreign');

    const [made] = await bridge.publisher.publish(
      's',
      [{ image: inParts(photo) }],
      anyCat,
      noAbort,
    );

    expect(made?.record.name).toBe('cat-2.png');
    expect(await bucket.contentOf('cat.png')).toBe('foreign');
  });

  test('gets the next name if another program takes its name at the last moment', async () => {
    bucket.setFault(({ method, key }) =>
      method === 'PUT' && key === 'cat.png' ? 'taken' : undefined,
    );

    const [made] = await bridge.publisher.publish(
      's',
      [{ image: inParts(photo) }],
      anyCat,
      noAbort,
    );

    expect(made?.record.name).toBe('cat-2.png');
    expect(await bucket.contentOf('cat.png')).toBe('foreign');
  });

  test.each([
    [
      'other bytes of the same length',
      'undecodable',
      (bytes: Buffer) => Buffer.alloc(bytes.length, 1),
    ],
    ['fewer bytes', 'missing_or_resized', (bytes: Buffer) => bytes.subarray(1)],
  ])('that was replaced by %s behind the cache is not delivered', async (_, reason, replace) => {
    const { id, name } = await published();
    await bridge.delivery.open('scope', id, noAbort);
    await bucket.putForeign(name, replace(photo.bytes));

    await expect(bridge.delivery.open('scope', id, noAbort)).rejects.toMatchObject({
      code: 'artifact',
      details: { reason },
    });
  });

  test('of which the bucket returns old content is not delivered', async () => {
    const { id, name } = await published();
    await bucket.putForeign(name, Buffer.alloc(photo.bytes.length, 1));
    await expect(bridge.delivery.open('scope', id, noAbort)).rejects.toThrow();
    await bucket.putForeign(name, photo.bytes);
    bucket.setFault(({ method }) => (method === 'GET' ? 'old content' : undefined));

    const outcome = bridge.delivery.open('scope', id, noAbort);

    await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
  });

  test('that another program removed is missing', async () => {
    const { id, name } = await published();
    await bucket.remove(name);

    const outcome = bridge.delivery.open('scope', id, noAbort);

    await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
  });

  test('cannot be delivered during an outage, and can be afterwards', async () => {
    const { id } = await published();
    await bridge.delivery.open('scope', id, noAbort);
    bucket.setFault(() => 'unavailable');

    const during = bridge.delivery.open('scope', id, noAbort);

    await expect(during).rejects.toMatchObject({ ...UNAVAILABLE, retryable: true });
    bucket.setFault();
    await expect(bridge.delivery.open('scope', id, noAbort)).resolves.toBeDefined();
  });

  test.each(['unavailable', 'cut', 'silent', 'lost answer'] as const)(
    'waits in memory while the bucket is %s',
    async (fault) => {
      bridge.close();
      bridge = await openBridge({ request_timeout_ms: 1000 });
      await published(imageOf('first'));
      bucket.setFault(() => fault);
      const publishing = published();
      await expect.poll(bridge.artifactRoot.isHealthy).toBe(false);
      const ready = bridge.artifactRoot.isReady();
      await expect(bridge.publisher.refuseBroken()).rejects.toMatchObject(UNAVAILABLE);

      bucket.setFault();
      const { id } = await publishing;
      await bridge.artifactRoot.probe();

      expect(ready).toBe(true);
      expect(bridge.artifactRoot.isHealthy()).toBe(true);
      await expect(bridge.delivery.open('scope', id, noAbort)).resolves.toBeDefined();
    },
  );

  test('that can no longer wait is given up, and its remains are removed later', async () => {
    await published(imageOf('first'));
    bucket.setFault(({ method }) => (method === 'PUT' ? 'lost answer' : 'unavailable'));

    const outcome = bridge.publisher.publish(
      's',
      [{ image: inParts(photo) }],
      anyCat,
      noAbort,
      AbortSignal.abort(),
    );
    await expect(outcome).rejects.toMatchObject(UNAVAILABLE);
    bucket.setFault();
    await bridge.publisher.recover();

    expect(await bucket.exists('cat.png')).toBe(false);
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('of a process that ended is kept while the bucket is unavailable', async () => {
    const [made] = await bridge.publisher.publish(
      's',
      [{ image: inParts(photo) }],
      anyCat,
      noAbort,
    );
    const records = made ? [made.record] : [];
    bucket.setFault(() => 'unavailable');

    expect(await bridge.publisher.finish(records)).toEqual(records.map(({ id }) => id));
    bucket.setFault();
    expect(await bridge.publisher.finish(records)).toEqual(records.map(({ id }) => id));
    await bucket.remove('cat.png');
    expect(await bridge.publisher.finish(records)).toEqual([]);
  });

  test('is removed when it expires, unless another program replaced the object', async () => {
    const [removed, replaced] = [await published(imageOf('a')), await published(imageOf('b'))];
    await bucket.putForeign(replaced.name, 'foreign');

    await bridge.retention.sweep.run(noAbort);

    expect(await bucket.exists(removed.name)).toBe(false);
    expect(await bucket.contentOf(replaced.name)).toBe('foreign');
    expect(await rig.store.find('scope', removed.id)).toBeUndefined();
  });

  test('that expires during an outage is removed afterwards', async () => {
    const { id, name } = await published(imageOf('a'));
    bucket.setFault(({ method }) => (method === 'DELETE' ? 'unavailable' : undefined));
    await expect(bridge.retention.sweep.run(noAbort)).rejects.toMatchObject(UNAVAILABLE);
    const found = await rig.store.find('scope', id);

    bucket.setFault();
    await bridge.retention.sweep.run(noAbort);

    expect(found).toBeDefined();
    expect(await bucket.exists(name)).toBe(false);
  });

  test('is not removed from the history if the bucket was emptied', async () => {
    const { id, name } = await published(imageOf('a'));
    for (const object of [name, '.image-bridge']) await bucket.remove(object);

    await expect(bridge.retention.sweep.run(noAbort)).rejects.toMatchObject({
      code: 'artifact',
      details: { reason: 'artifact_folder_unusable' },
    });

    expect(await rig.store.find('scope', id)).toBeDefined();
  });
});
