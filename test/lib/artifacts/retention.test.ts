import { lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactRecord } from '../../../lib/artifacts/artifact-store-port.ts';
import { createPublisher } from '../../../lib/artifacts/publisher.ts';
import { createArtifactRetention } from '../../../lib/artifacts/retention.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { Clock } from '../../../lib/platform/clock.ts';
import { openTestStores } from '../../support/stores.ts';
import { type ArtifactRig, imageOf, mortal, noAbort, openArtifactRig } from './artifact-rig.ts';

const DAY_SECS = 86_400;
// More half steps than a sweep of the images below needs.
const MAX_STEPS = 40;

let rig: ArtifactRig;
let forgotten: string[];

beforeEach(async () => {
  rig = await openArtifactRig();
  forgotten = [];
});
afterEach(() => rig.close());

/** Returns the clock of the rig, advanced by some days. */
function later(days: number): Clock {
  return { ...rig.clock, nowMs: () => rig.clock.nowMs() + days * DAY_SECS * 1000 };
}

/** Runs a sweep with an age limit of a week, after this many days. */
function sweepAfter(
  days: number,
  deps: Partial<Parameters<typeof createArtifactRetention>[0]> = {},
) {
  const retention = createArtifactRetention({
    store: rig.store,
    files: rig.files,
    artifactRoot: rig.artifactRoot,
    clock: later(days),
    maxAgeSecs: 7 * DAY_SECS,
    forget: (records) => forgotten.push(...records.map(({ id }) => id)),
    publisher: rig.publisher,
    ...deps,
  });
  return retention.sweep.run(noAbort);
}

interface PublishedOptions {
  readonly name?: string;
  readonly sidecar?: boolean;
  readonly afterDays?: number;
}

async function published({ name = 'a', sidecar = false, afterDays = 0 }: PublishedOptions = {}) {
  const publisher = createPublisher({ ...rig, clock: later(afterDays) });
  const slash = name.lastIndexOf('/');
  const directory = slash < 0 ? undefined : name.slice(0, slash);
  const image = {
    image: imageOf(`image ${name}`),
    sidecar: sidecar ? Buffer.from(`sidecar of ${name}`) : undefined,
  };
  const target = { directory, filename: name.slice(slash + 1), collision: 'error' } as const;
  const publications = await publisher.publish('scope', [image], target, noAbort);
  await publisher.commit(publications);
  const [publication] = publications;
  if (publication === undefined) throw new Error('nothing was published');
  return publication.record;
}

const pathOf = ({ name }: Pick<ArtifactRecord, 'name'>) => join(rig.root, name);
const find = ({ scope, id }: ArtifactRecord) => rig.store.find(scope, id);

describe('artifact retention', () => {
  test('removes images that have reached the maximum age, with their sidecars, and no younger images', async () => {
    const old = await published({ name: 'cats/old', sidecar: true });
    const young = await published({ name: 'cats/young', sidecar: true, afterDays: 0.1 });

    await sweepAfter(7);

    expect(await find(old)).toBeUndefined();
    expect(await find(young)).toEqual(young);
    expect(await rig.names()).toEqual(['cats/young.json', 'cats/young.png']);
    expect(await rig.state.listIntents()).toEqual([]);
    expect(await rig.store.totals()).toEqual({ count: 1, bytes: young.bytes });
    expect(forgotten).toEqual([old.id]);
  });

  test('keeps an artifact that is one second younger than the limit', async () => {
    const record = await published();

    await sweepAfter(7 - 2 / DAY_SECS);

    expect(await find(record)).toEqual(record);
    expect(forgotten).toEqual([]);
  });

  test('keeps artifacts for ever if the limit is 0', async () => {
    const record = await published();

    await sweepAfter(10_000, { maxAgeSecs: 0 });

    expect(await find(record)).toEqual(record);
    expect(await rig.names()).toEqual(['a.png']);
  });

  test('frees the name of a removed artifact', async () => {
    await published({ sidecar: true });

    await sweepAfter(8);

    await expect(published({ sidecar: true })).resolves.toMatchObject({ name: 'a.png' });
  });

  test('changes no foreign file and no folder, not even an empty folder', async () => {
    await published({ name: 'deep/er/a' });
    await mkdir(join(rig.root, 'empty'));
    await writeFile(join(rig.root, 'deep/notes.txt'), 'not an image');
    await symlink(join(rig.root, 'deep/notes.txt'), join(rig.root, 'link.png'));

    await sweepAfter(8);

    expect(await rig.onDisk()).toEqual({
      'deep/notes.txt': 'not an image',
      'link.png': 'not an image',
    });
    expect((await lstat(join(rig.root, 'deep/er'))).isDirectory()).toBe(true);
    expect((await lstat(join(rig.root, 'empty'))).isDirectory()).toBe(true);
  });

  const tamperings: readonly (readonly [string, (path: string) => Promise<unknown>, string[]])[] = [
    ['is missing', (path) => rm(path), []],
    ['was changed', (path) => writeFile(path, 'IMAGE cats/a'), ['cats/a.png']],
    ['has grown', (path) => writeFile(path, 'image cats/a and more'), ['cats/a.png']],
    [
      'was replaced by a folder',
      async (path) => {
        await rm(path);
        await mkdir(path);
        await writeFile(join(path, 'b.png'), 'image cats/a');
      },
      ['cats/a.png/b.png'],
    ],
    [
      'was replaced by a link to an equal file',
      async (path) => {
        await rename(path, join(rig.root, 'moved.png'));
        await symlink(join(rig.root, 'moved.png'), path);
      },
      ['cats/a.png', 'moved.png'],
    ],
    [
      'lies in a folder that was replaced by a link',
      async (path) => {
        await rename(dirname(path), join(rig.root, 'moved'));
        await symlink(join(rig.root, 'moved'), dirname(path));
      },
      ['cats', 'moved/a.json', 'moved/a.png'],
    ],
  ];

  test.each(tamperings)(
    'deletes the record of a file that %s and leaves the file',
    async (_, tamper, left) => {
      const record = await published({ name: 'cats/a', sidecar: true });
      await tamper(pathOf(record));

      await sweepAfter(8);

      expect(await find(record)).toBeUndefined();
      expect(await rig.state.listIntents()).toEqual([]);
      expect(await rig.names()).toEqual(left);
    },
  );

  test('removes an image whose sidecar was changed, and keeps that sidecar', async () => {
    const record = await published({ sidecar: true });
    await writeFile(join(rig.root, 'a.json'), 'foreign notes');

    await sweepAfter(8);

    expect(await find(record)).toBeUndefined();
    expect(await rig.onDisk()).toEqual({ 'a.json': 'foreign notes' });
  });

  test('keeps an artifact whose file cannot be removed until a later sweep removes it', async () => {
    const [stubborn, other] = [await published({ name: 'a' }), await published({ name: 'b' })];
    const files: Parameters<typeof createArtifactRetention>[0]['files'] = {
      ...rig.files,
      remove: (file) =>
        file.id === stubborn.id ? Promise.reject(new Error('busy')) : rig.files.remove(file),
    };

    await expect(sweepAfter(8, { files })).rejects.toThrow('busy');
    const between = [await find(stubborn), await find(other)];
    const totals = await rig.store.totals();
    await sweepAfter(8);

    expect(between).toEqual([stubborn, undefined]);
    expect(totals).toEqual({ count: 1, bytes: stubborn.bytes });
    expect(await find(stubborn)).toBeUndefined();
    expect(await rig.names()).toEqual([]);
  });

  test.each([
    ['is missing', async () => undefined],
    ['is an empty mount point', async () => mkdir(rig.root)],
  ])('deletes no record while the artifact root %s, and throws', async (_, remove) => {
    const records = [await published({ name: 'a' }), await published({ name: 'b' })];
    const retention = createArtifactRetention({
      store: rig.store,
      files: rig.files,
      artifactRoot: rig.artifactRoot,
      clock: later(8),
      maxAgeSecs: DAY_SECS,
      forget: () => {},
      publisher: rig.publisher,
    });
    await rename(rig.root, `${rig.root} elsewhere`);
    await remove();

    await expect(retention.sweep.run(noAbort)).rejects.toMatchObject({ code: 'artifact' });
    const found = await Promise.all(records.map(find));
    const between = !rig.artifactRoot.isLost();
    await rm(rig.root, { recursive: true, force: true });
    await rename(`${rig.root} elsewhere`, rig.root);
    await retention.sweep.run(noAbort);

    expect(found).toEqual(records);
    expect([between, !rig.artifactRoot.isLost()]).toEqual([false, true]);
    expect(await Promise.all(records.map(find))).toEqual([undefined, undefined]);
    expect(await rig.names()).toEqual([]);
  });

  test('removes nothing if the artifact root is lost during the sweep', async () => {
    const record = await published();
    const loss = new BridgeError('artifact', 'the folder is missing');
    const losses = [undefined, loss];

    const sweep = sweepAfter(8, { artifactRoot: { findLoss: async () => losses.shift() } });

    await expect(sweep).rejects.toBe(loss);
    expect(await find(record)).toEqual(record);
    expect(await readFile(pathOf(record), 'utf8')).toBe('image a');
  });

  test('reports a missing artifact root even if nothing has expired', async () => {
    const retention = createArtifactRetention({
      store: rig.store,
      files: rig.files,
      artifactRoot: rig.artifactRoot,
      clock: rig.clock,
      maxAgeSecs: 0,
      forget: () => {},
      publisher: rig.publisher,
    });
    await retention.sweep.run(noAbort);
    const before = !rig.artifactRoot.isLost();
    await published({ name: 'a' });
    await rename(rig.root, `${rig.root} elsewhere`);

    await expect(retention.sweep.run(noAbort)).rejects.toMatchObject({ code: 'artifact' });
    const between = !rig.artifactRoot.isLost();
    await rename(`${rig.root} elsewhere`, rig.root);
    await retention.sweep.run(noAbort);

    expect([before, between, !rig.artifactRoot.isLost()]).toEqual([true, false, true]);
  });

  test('removes the files that a discard could not remove, even without an age limit', async () => {
    const failing = {
      ...rig.files,
      remove: () => Promise.reject(new BridgeError('artifact', 'no')),
    };
    const publisher = createPublisher({ ...rig, files: failing });
    const target = { filename: 'a', collision: 'error' } as const;
    const publications = await publisher.publish('s', [{ image: imageOf('a') }], target, noAbort);
    await expect(publisher.discard(publications)).rejects.toMatchObject({ code: 'artifact' });
    const left = await rig.names();

    await sweepAfter(0, { maxAgeSecs: 0 });

    expect(left).toEqual(['a.png']);
    expect(await rig.names()).toEqual([]);
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('never removes the files of an artifact that another process has withdrawn', async () => {
    const records = [await published({ name: 'a' }), await published({ name: 'b' })];
    const { artifacts: other } = await rig.stores.ofNextProcess();
    const removed: string[] = [];
    const store: typeof rig.store = {
      ...rig.store,
      async listByAge(page) {
        const listed = await rig.store.listByAge(page);
        await other.withdraw([records[0]?.id ?? '']);
        return listed;
      },
    };

    await sweepAfter(8, {
      store,
      files: {
        remove: async (file) => {
          removed.push(file.name);
          await rig.files.remove(file);
        },
      },
    });

    expect(removed).toEqual(['b.png']);
    expect(await rig.names()).toEqual(['a.png']);
    expect(await other.findOwnIntents(records.map(({ id }) => id))).toEqual([records[0]?.id]);
  });

  test.each(['discard', 'publish'] as const)(
    'removes a withdrawn artifact with the next sweep if the store fails to %s it',
    async (method) => {
      const record = await published();
      let isGone = true;
      const unlessGone =
        <A, R>(call: (arg: A) => Promise<R>) =>
        (arg: A) =>
          isGone ? Promise.reject(new BridgeError('overloaded', 'no connection')) : call(arg);
      const { findOwnIntents } = rig.store;
      const store: typeof rig.store = {
        ...rig.store,
        [method]: unlessGone(rig.store[method]),
        findOwnIntents: unlessGone(findOwnIntents),
      };
      const publisher = createPublisher({ ...rig, store });
      const files =
        method === 'publish' ? { remove: () => Promise.reject(new Error('busy')) } : rig.files;
      const failed = sweepAfter(8, { store, files, publisher });
      await expect(failed).rejects.toMatchObject({ code: 'overloaded' });
      isGone = false;

      await sweepAfter(8, { store, publisher });

      expect(await find(record)).toBeUndefined();
      expect(await rig.state.listIntents()).toEqual([]);
      expect(await rig.names()).toEqual([]);
    },
  );

  test('stops on abort and leaves the remaining artifacts unchanged', async () => {
    const records = [];
    for (const [afterDays, name] of ['a', 'b', 'c', 'd'].entries()) {
      records.push(await published({ name, afterDays }));
    }
    const stopping = new AbortController();
    const retention = createArtifactRetention({
      store: rig.store,
      artifactRoot: rig.artifactRoot,
      clock: later(8),
      maxAgeSecs: DAY_SECS,
      forget: () => {},
      publisher: rig.publisher,
      files: {
        ...rig.files,
        async remove(file) {
          if (file.name === 'b.png') stopping.abort();
          await rig.files.remove(file);
        },
      },
    });

    await retention.sweep.run(stopping.signal);

    const left = await Promise.all(records.map(find));
    const names = left.map((record) => record?.name);
    expect(await rig.names()).toEqual(names.filter((name) => name !== undefined));
    expect(await rig.names()).toHaveLength(2);
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('does nothing for an aborted signal', async () => {
    const record = await published();
    const retention = createArtifactRetention({
      store: rig.store,
      files: rig.files,
      artifactRoot: rig.artifactRoot,
      clock: later(8),
      maxAgeSecs: 1,
      forget: () => {},
      publisher: rig.publisher,
    });

    await retention.sweep.run(AbortSignal.abort());

    expect(await find(record)).toEqual(record);
  });

  test('leaves neither a file without a row nor an artifact without its file after a crash at any step', async () => {
    await mkdir(rig.root);
    await writeFile(join(rig.root, 'foreign.png'), 'image of another program');
    let crashes = 0;
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const records = [];
      for (const name of ['a', 'b', 'c']) records.push(await published({ name, sidecar: true }));
      const life = { steps, over: false };

      const ended = sweepAfter(8, {
        store: mortal(rig.store, life),
        files: mortal(rig.files, life),
      });
      await ended.catch(() => undefined);
      const found = await Promise.all(records.map(find));
      const whole = await Promise.all(
        records.map((record) => readFile(pathOf(record)).catch(() => undefined)),
      );
      const isWhole = found.map((record, at) => record === undefined || whole[at] !== undefined);
      await rig.recover();
      const names = (await Promise.all(records.map(find))).flatMap((record) =>
        record === undefined ? [] : [record.name.replace('.png', '.json'), record.name],
      );

      expect(isWhole).toEqual([true, true, true]);
      expect(await rig.names()).toEqual([...names, 'foreign.png']);
      crashes += life.over ? 1 : 0;
      await sweepAfter(8);
      expect(await rig.names()).toEqual(['foreign.png']);
    }
    expect(crashes).toBeGreaterThan(10);
    expect(crashes).toBeLessThan(MAX_STEPS);
  });

  test('removes exactly the expired artifacts of any set, except those whose files cannot be removed', async () => {
    const ages = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.boolean()), {
      maxLength: 120,
    });
    const property = fc.asyncProperty(ages, async (rows) => {
      const { artifacts: store, state, close } = await openTestStores({ ids: rig.ids });
      const nowSecs = Math.floor(rig.clock.nowMs() / 1000);
      const records = rows.map(([days, isStubborn]) => {
        const id = rig.ids.newOpaqueId();
        const { format, width, height, sha256 } = imageOf('any');
        const name = `${isStubborn ? 'stubborn' : 'easy'}-${id}.png`;
        const createdSecs = nowSecs - days * DAY_SECS;
        const row = { id, scope: 's', name, format, width, height, bytes: 3, sha256, createdSecs };
        return { row, stays: days < 7 || isStubborn };
      });
      await Promise.all(records.map(({ row }) => store.claim([row])));
      await store.publish(records.map(({ row }) => row.id));

      const sweep = sweepAfter(0, {
        store,
        files: {
          remove: async ({ name }) => {
            if (name.startsWith('stubborn')) throw new Error('busy');
          },
        },
      });

      const isRefused = rows.some(([days, isStubborn]) => days >= 7 && isStubborn);
      if (isRefused) await expect(sweep).rejects.toThrow('busy');
      else await sweep;

      const left = records.filter(({ stays }) => stays);
      expect(await store.totals()).toEqual({ count: left.length, bytes: left.length * 3 });
      for (const { row, stays } of records) {
        expect(await store.find('s', row.id)).toEqual(stays ? row : undefined);
      }
      expect(await state.listIntents()).toEqual([]);
      await close();
    });

    await fc.assert(property, { seed: 20_240_601, numRuns: 30 });
  });
});
