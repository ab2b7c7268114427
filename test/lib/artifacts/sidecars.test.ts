import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactFiles } from '../../../lib/artifacts/artifact-files-port.ts';
import type { PublicationTarget } from '../../../lib/artifacts/artifact-names.ts';
import { createPublisher } from '../../../lib/artifacts/publisher.ts';
import { type ArtifactRig, imageOf, mortal, noAbort, openArtifactRig } from './artifact-rig.ts';

const anyName: PublicationTarget = { collision: 'error' };
const cat: PublicationTarget = { filename: 'cat', collision: 'error' };
const anyCat: PublicationTarget = { filename: 'cat', collision: 'suffix' };

let rig: ArtifactRig;

beforeEach(async () => {
  rig = await openArtifactRig();
});
afterEach(() => rig.close());

const withSidecar = (content: string) => ({
  image: imageOf(content),
  sidecar: Buffer.from(`about ${content}`),
});

const publish = (target: PublicationTarget, ...contents: string[]) =>
  rig.publisher.publish('scope', contents.map(withSidecar), target, noAbort);

async function putForeign(name: string, content = 'foreign'): Promise<void> {
  await mkdir(dirname(join(rig.root, name)), { recursive: true });
  await writeFile(join(rig.root, name), content);
}

describe('publisher.publish with sidecars', () => {
  test('the sidecar is beside its image and is recorded with the image', async () => {
    const [publication] = await publish({ ...cat, directory: 'pets' }, 'miaow');

    expect(await rig.onDisk()).toEqual({
      'pets/cat.json': 'about miaow',
      'pets/cat.png': 'miaow',
    });
    expect(publication?.record.sidecar).toEqual({
      name: 'pets/cat.json',
      bytes: 11,
      sha256: createHash('sha256').update('about miaow').digest('hex'),
    });
    expect(await rig.state.listIntents()).toEqual([publication?.record]);
  });

  test('images with and without a sidecar are published together', async () => {
    const images = [withSidecar('a'), { image: imageOf('b') }];

    const publications = await rig.publisher.publish('scope', images, anyName, noAbort);

    const [first, second] = publications.map(({ record }) => record);
    expect(await rig.names()).toEqual([first!.name, first!.sidecar!.name, second!.name].sort());
    expect(second?.sidecar).toBeUndefined();
  });

  test.each(['cat.png', 'cat.json'])('a foreign %s is a conflict', async (name) => {
    await putForeign(name);

    const outcome = publish(cat, 'ours');

    await expect(outcome).rejects.toMatchObject({
      code: 'artifact_exists',
      param: 'output.filename',
    });
    expect(await rig.onDisk()).toEqual({ [name]: 'foreign' });
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('the sidecar of an image of another format is a conflict', async () => {
    const jpeg = {
      ...withSidecar('first'),
      image: { ...imageOf('first'), format: 'jpeg' } as const,
    };
    await rig.publisher.commit(await rig.publisher.publish('scope', [jpeg], cat, noAbort));

    await expect(publish(cat, 'second')).rejects.toMatchObject({ code: 'artifact_exists' });

    expect(await rig.onDisk()).toEqual({ 'cat.jpg': 'first', 'cat.json': 'about first' });
  });

  test('image and sidecar get the same suffix', async () => {
    await putForeign('cat.json');
    await putForeign('cat-2.png');

    const [publication] = await publish(anyCat, 'a');

    expect(publication?.record.name).toBe('cat-3.png');
    expect(publication?.record.sidecar?.name).toBe('cat-3.json');
  });

  test.each(['cat.png', 'cat.json'])(
    'a foreign %s that is created between the check and the link moves both files to the next name',
    async (name) => {
      const files = lateForeigner(rig.files, () => putForeign(name));
      const publisher = createPublisher({ ...rig, files });

      const [publication] = await publisher.publish('scope', [withSidecar('a')], anyCat, noAbort);

      expect(publication?.record.name).toBe('cat-2.png');
      expect(await rig.onDisk()).toEqual({
        [name]: 'foreign',
        'cat-2.json': 'about a',
        'cat-2.png': 'a',
      });
    },
  );

  test('an image that cannot get its name leaves no sidecar', async () => {
    const files = lateForeigner(rig.files, () => putForeign('cat.png'));
    const publisher = createPublisher({ ...rig, files });

    const outcome = publisher.publish('scope', [withSidecar('a')], cat, noAbort);

    await expect(outcome).rejects.toMatchObject({ code: 'artifact_exists' });
    expect(await rig.onDisk()).toEqual({ 'cat.png': 'foreign' });
    expect(await rig.state.listIntents()).toEqual([]);
  });
});

describe('publisher.discard with sidecars', () => {
  test('both files are removed, and both names are free again', async () => {
    await rig.publisher.discard(await publish(cat, 'a'));

    expect(await rig.onDisk()).toEqual({});
    expect(await publish(cat, 'b')).toHaveLength(1);
  });

  test('a sidecar that another program has replaced stays', async () => {
    const publications = await publish(cat, 'a');
    await rm(join(rig.root, 'cat.json'));
    await putForeign('cat.json', 'about b');

    await rig.publisher.discard(publications);

    expect(await rig.onDisk()).toEqual({ 'cat.json': 'about b' });
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('an image that cannot be removed keeps its intent, and its sidecar is removed', async () => {
    const publications = await publish(cat, 'a');
    const files: ArtifactFiles = {
      ...rig.files,
      async remove(file) {
        if (file.name.endsWith('.png')) throw new Error('busy');
        await rig.files.remove(file);
      },
    };

    const outcome = createPublisher({ ...rig, files }).discard(publications);

    await expect(outcome).rejects.toThrow('busy');
    expect(await rig.onDisk()).toEqual({ 'cat.png': 'a' });
    expect(await rig.state.listIntents()).toHaveLength(1);
    await rig.recover();
    expect(await rig.onDisk()).toEqual({});
  });
});

describe('publisher.recover with sidecars', () => {
  test('unfinished pairs are removed, and finished pairs stay', async () => {
    await rig.publisher.commit(await publish({ ...cat, directory: 'done' }, 'a'));
    await publish(cat, 'b');

    await rig.recover();

    expect(await rig.onDisk()).toEqual({ 'done/cat.json': 'about a', 'done/cat.png': 'a' });
    expect(await rig.state.listIntents()).toEqual([]);
  });

  // One pair, pairs with suffixes because of foreign files, several pairs, and a foreign file that is created late.
  const scripts: readonly {
    target: PublicationTarget;
    contents: string[];
    foreign: string[];
    late?: string;
  }[] = [
    { target: { ...cat, directory: 'a/b' }, contents: ['x'], foreign: [] },
    { target: anyCat, contents: ['x'], foreign: ['cat.json', 'cat-2.png'] },
    { target: anyName, contents: ['x', 'y'], foreign: [] },
    { target: anyCat, contents: ['x'], foreign: [], late: 'cat.png' },
  ];

  test.each(scripts)(
    'a crash before or after any step leaves nothing behind: %j',
    async (script) => {
      const { target, contents, late } = script;
      for (const name of script.foreign) await putForeign(name, 'x');
      const foreign = {
        ...(await rig.onDisk()),
        ...(late === undefined ? {} : { [late]: 'late' }),
      };
      const survivors: unknown[] = [];
      let steps = 0;

      for (let crashAt = 1, finished = false; !finished; crashAt += 1) {
        const life = { steps: crashAt, over: false };
        if (late !== undefined) await rm(join(rig.root, late), { force: true });
        const comeLate = async () => {
          if (late !== undefined) await putForeign(late, 'late');
        };
        const publisher = createPublisher({
          ...rig,
          store: mortal(rig.store, life),
          files: mortal(lateForeigner(rig.files, comeLate), life),
        });
        finished = await publisher
          .publish('scope', contents.map(withSidecar), target, noAbort)
          .then(
            () => true,
            () => false,
          );
        await comeLate();

        await rig.recover();

        survivors.push(await rig.onDisk(), await rig.state.listIntents());
        steps = crashAt;
      }

      expect(steps).toBeGreaterThanOrEqual(14);
      expect(survivors).toEqual(Array(steps).fill([foreign, []]).flat());
    },
  );
});

/** Files to which a foreign file is added as soon as the first bytes are staged. */
function lateForeigner(files: ArtifactFiles, come: () => Promise<void>): ArtifactFiles {
  return {
    ...files,
    async stage(id, bytes) {
      await files.stage(id, bytes);
      await come();
    },
  };
}
