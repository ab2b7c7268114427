import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactFiles } from '../../../lib/artifacts/artifact-files-port.ts';
import { createArtifactRoot } from '../../../lib/artifacts/artifact-root.ts';
import { createPublisher } from '../../../lib/artifacts/publisher.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { type ArtifactRig, imageOf, noAbort, openArtifactRig } from './artifact-rig.ts';

const LOST = { code: 'artifact', details: { reason: 'artifact_folder_unusable' } };

let rig: ArtifactRig;

beforeEach(async () => {
  rig = await openArtifactRig();
});
afterEach(() => rig.close());

const publish = (publisher = rig.publisher, name = 'a') =>
  publisher.publish('s', [{ image: imageOf(name) }], { collision: 'error' }, noAbort);

/** Publishes an image that does not wait for a store. */
const publishOnce = (publisher: ArtifactRig['publisher'], name: string) => {
  const image = { image: imageOf(name) };
  return publisher.publish('s', [image], { collision: 'error' }, noAbort, AbortSignal.abort());
};

/** Replaces the root by what an unmounted volume leaves: nothing or an empty folder. */
async function unmount(remains: 'nothing' | 'an empty folder'): Promise<void> {
  await rename(rig.root, `${rig.root} elsewhere`);
  if (remains === 'an empty folder') await mkdir(rig.root);
}

async function mountAgain(): Promise<void> {
  await rm(rig.root, { recursive: true, force: true });
  await rename(`${rig.root} elsewhere`, rig.root);
}

/** Another process with the same state and folder. */
function restarted() {
  const files = rig.stores.reopenArtifactFiles();
  const artifactRoot = createArtifactRoot({ store: rig.store, files });
  return { artifactRoot, publisher: createPublisher({ ...rig, files, artifactRoot }) };
}

describe('the artifact root', () => {
  test('is created with the first artifact, even by many concurrent publications', async () => {
    const before = rig.artifactRoot.isLost();

    await Promise.all(Array.from({ length: 20 }, (_, index) => publish(rig.publisher, `${index}`)));

    expect([before, rig.artifactRoot.isLost()]).toEqual([false, false]);
    expect(await readdir(rig.root)).toHaveLength(21);
  });

  test.each(['nothing', 'an empty folder'] as const)(
    'accepts no publication while it is replaced by %s, and is not created again',
    async (remains) => {
      await rig.publisher.discard(await publish());
      await unmount(remains);

      await expect(publish()).rejects.toMatchObject(LOST);
      const made = await readdir(rig.root).catch(() => []);
      const between = rig.artifactRoot.isLost();
      await mountAgain();
      await publish();

      expect(made).toEqual([]);
      expect([between, rig.artifactRoot.isLost()]).toEqual([true, false]);
    },
  );

  test.each([
    ['an artifact', () => publish().then(rig.publisher.commit)],
    ['an unfinished publication', () => publish()],
  ])('is known to a new process by %s', async (_, begin) => {
    await begin();
    await unmount('an empty folder');
    const { publisher, artifactRoot } = restarted();

    await expect(publish(publisher)).rejects.toMatchObject(LOST);

    expect(artifactRoot.isLost()).toBe(true);
    expect(await readdir(rig.root)).toEqual([]);
  });

  test('is created again by a new process if it was never used', async () => {
    await rig.publisher.discard(await publish());
    await rm(rig.root, { recursive: true });
    const { publisher } = restarted();

    await expect(publish(publisher)).resolves.toHaveLength(1);
  });

  test('is not created again for a publication that had begun', async () => {
    await publish();
    const files = {
      ...rig.files,
      async stage(id: string, bytes: Buffer) {
        await unmount('an empty folder');
        await rig.files.stage(id, bytes);
      },
    };

    await expect(publish(createPublisher({ ...rig, files }), 'b')).rejects.toMatchObject(LOST);

    expect(await readdir(rig.root)).toEqual([]);
  });

  describe('that is not writable', () => {
    /** Files on a disk with this much room. Writing a longer file fails. */
    function smallDisk() {
      const disk = { room: Number.POSITIVE_INFINITY, probes: 0 };
      const refuse = (bytes: number) => {
        if (bytes <= disk.room) return;
        throw new BridgeError('artifact', 'the artifact folder is full', {
          details: { reason: 'artifact_folder_full' },
        });
      };
      const files: ArtifactFiles = {
        ...rig.files,
        async stage(id, bytes) {
          refuse(bytes.length);
          await rig.files.stage(id, bytes);
        },
        async probe(bytes) {
          disk.probes += 1;
          refuse(bytes);
        },
      };
      const artifactRoot = createArtifactRoot({ store: rig.store, files });
      return {
        ...{ disk, files, artifactRoot },
        publisher: createPublisher({ ...rig, files, artifactRoot }),
      };
    }

    test('is unhealthy as soon as a publication fails, and rejects further publications before they are paid for', async () => {
      const { disk, artifactRoot, publisher } = smallDisk();
      disk.room = 9;

      await expect(publishOnce(publisher, 'ten bytes!')).rejects.toMatchObject({
        code: 'artifact',
      });

      expect(artifactRoot.isHealthy()).toBe(false);
      await expect(publisher.refuseBroken()).rejects.toMatchObject({ code: 'artifact' });
      disk.room = 4096;
      await expect(publisher.refuseBroken()).resolves.toBeUndefined();
      expect(artifactRoot.isHealthy()).toBe(true);
    });

    test.each([
      ['takes this process out of service if no other process uses the store', false],
      ['takes no process out of service if several replicas use the store', true],
    ])('%s', async (_, isShared) => {
      const { disk, files } = smallDisk();
      const artifactRoot = createArtifactRoot({ ...rig, files: { ...files, isShared } });
      disk.room = 9;

      await artifactRoot.probe().catch(() => {});

      expect([artifactRoot.isHealthy(), artifactRoot.isReady()]).toEqual([false, isShared]);
    });

    test('stays unhealthy while only files smaller than the failed image fit', async () => {
      const { disk, artifactRoot, publisher } = smallDisk();
      disk.room = 8000;
      await expect(publishOnce(publisher, 'x'.repeat(9000))).rejects.toThrow();

      await artifactRoot.probe().catch(() => {});
      const before = artifactRoot.isHealthy();
      disk.room = 9000;
      await artifactRoot.probe();

      expect([before, artifactRoot.isHealthy()]).toEqual([false, true]);
    });

    test('stays healthy if a single very large image does not fit', async () => {
      const { disk, artifactRoot, publisher } = smallDisk();
      disk.room = 5_000_000;

      await expect(publishOnce(publisher, 'x'.repeat(6_000_000))).rejects.toThrow();

      expect(artifactRoot.isHealthy()).toBe(true);
    });

    test('is not probed by requests while it is healthy', async () => {
      const { disk, publisher } = smallDisk();

      await publisher.refuseBroken();
      await publish(publisher);

      expect(disk.probes).toBe(0);
    });

    test('is detected by a probe before the first publication', async () => {
      const { disk, artifactRoot } = smallDisk();
      disk.room = 0;

      await expect(artifactRoot.probe()).rejects.toMatchObject({ code: 'artifact' });

      expect(artifactRoot.isHealthy()).toBe(false);
    });
  });
});
