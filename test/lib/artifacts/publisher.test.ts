import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createOwnerFolder,
  type PublicationTarget,
} from '../../../lib/artifacts/artifact-names.ts';
import { createPublisher } from '../../../lib/artifacts/publisher.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { type ArtifactRig, imageOf, mortal, noAbort, openArtifactRig } from './artifact-rig.ts';

const anyName: PublicationTarget = { collision: 'error' };
const cat: PublicationTarget = { filename: 'cat', collision: 'error' };
const anyCat: PublicationTarget = { filename: 'cat', collision: 'suffix' };

let rig: ArtifactRig;

beforeEach(async () => {
  rig = await openArtifactRig();
});
afterEach(() => rig.close());

const publish = (target: PublicationTarget, ...contents: string[]) =>
  rig.publisher.publish(
    'scope',
    contents.map((content) => ({ image: imageOf(content) })),
    target,
    noAbort,
  );

async function putForeign(name: string, content = 'foreign'): Promise<void> {
  await mkdir(rig.root, { recursive: true });
  await writeFile(join(rig.root, name), content);
}

describe('publisher.publish', () => {
  test('a published image has its name and cannot be fetched before the commit', async () => {
    const [publication] = await publish({ ...cat, directory: 'pets/best' }, 'miaow');

    expect(await rig.onDisk()).toEqual({ 'pets/best/cat.png': 'miaow' });
    expect(publication?.record).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      scope: 'scope',
      name: 'pets/best/cat.png',
      format: 'png',
      width: 2,
      height: 3,
      bytes: 5,
      sha256: imageOf('miaow').sha256,
      createdSecs: expect.any(Number),
    });
    expect(await rig.state.listIntents()).toEqual([publication?.record]);
  });

  test('a name is taken only in its own scope if scopes have folders', async () => {
    const publisher = createPublisher({ ...rig, ownerFolder: createOwnerFolder('shared') });
    const publishAs = async (scope: string, target: PublicationTarget) => {
      const image = { image: imageOf(scope) };
      const [publication] = await publisher.publish(scope, [image], target, noAbort);
      return publication?.record.name;
    };
    const nested = { ...anyCat, directory: 'pets' };

    const names = [
      await publishAs('shared', cat),
      await publishAs('alice', cat),
      await publishAs('bob', cat),
      await publishAs('alice', nested),
      await publishAs('bob', nested),
    ];
    const again = publishAs('bob', cat);

    await expect(again).rejects.toMatchObject({ code: 'artifact_exists' });
    const [shared, alice = '', bob = '', ...below] = names;
    expect(shared).toBe('cat.png');
    for (const name of [alice, bob]) expect(name).toMatch(/^owner-[0-9a-f]{16}\/cat\.png$/);
    expect(alice).not.toBe(bob);
    expect(below).toEqual([alice, bob].map((name) => name.replace('/', '/pets/')));
    expect(await publishAs('alice', anyCat)).toBe(alice.replace('cat', 'cat-2'));
  });

  test('images without a filename have separate names and keep their order', async () => {
    const publications = await publish({ ...anyName, filename_prefix: 'set' }, 'a', 'b', 'c');

    const names = publications.map(({ record }) => record.name);
    const contents = await Promise.all(names.map((name) => readFile(join(rig.root, name), 'utf8')));
    expect(contents).toEqual(['a', 'b', 'c']);
    expect(names.every((name) => /^set-[0-9a-f]{32}\.png$/.test(name))).toBe(true);
  });

  test('a call without images publishes nothing', async () => {
    expect(await publish(anyName)).toEqual([]);
    expect(await rig.onDisk()).toEqual({});
  });

  test('the intent is durable before a file is written', async () => {
    const order: string[] = [];
    const files = {
      ...rig.files,
      async stage(id: string, bytes: Buffer) {
        order.push(`stage after ${(await rig.state.listIntents()).length} intent`);
        await rig.files.stage(id, bytes);
      },
    };
    const publisher = createPublisher({ ...rig, files });

    await publisher.publish('scope', [{ image: imageOf('a') }], cat, noAbort);

    expect(order).toEqual(['stage after 1 intent']);
  });

  test('the name of an artifact is a conflict that names the field', async () => {
    await rig.publisher.commit(await publish(cat, 'first'));

    const second = publish(cat, 'second');

    await expect(second).rejects.toMatchObject({
      code: 'artifact_exists',
      param: 'output.filename',
    });
    expect(await rig.onDisk()).toEqual({ 'cat.png': 'first' });
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('the name of a foreign file is a conflict', async () => {
    await putForeign('cat.png');

    await expect(publish(cat, 'ours')).rejects.toMatchObject({ code: 'artifact_exists' });

    expect(await rig.onDisk()).toEqual({ 'cat.png': 'foreign' });
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('a foreign file that is created between the check and the link is not overwritten', async () => {
    const files = {
      ...rig.files,
      async stage(id: string, bytes: Buffer) {
        await rig.files.stage(id, bytes);
        await putForeign('cat.png', 'ours');
      },
    };
    const publisher = createPublisher({ ...rig, files });
    const image = imageOf('ours');

    await expect(publisher.publish('scope', [{ image }], cat, noAbort)).rejects.toMatchObject({
      code: 'artifact_exists',
    });
    const [publication] = await publisher.publish('scope', [{ image }], anyCat, noAbort);

    expect(publication?.record.name).toBe('cat-2.png');
    expect(await rig.onDisk()).toEqual({ 'cat.png': 'ours', 'cat-2.png': 'ours' });
  });

  test('suffixes skip the names of artifacts and foreign files', async () => {
    await putForeign('cat-2.png');
    await putForeign('cat-4.png');

    const names: (string | undefined)[] = [];
    for (const content of ['a', 'b', 'c']) {
      const [publication] = await publish(anyCat, content);
      names.push(publication?.record.name);
    }

    expect(names).toEqual(['cat.png', 'cat-3.png', 'cat-5.png']);
    expect(await rig.state.listIntents()).toHaveLength(3);
  });

  test('two hundred concurrent publications with suffixes get two hundred files', async () => {
    const contents = Array.from({ length: 200 }, (_, index) => `image ${index}`);

    const publications = (await Promise.all(contents.map((c) => publish(anyCat, c)))).flat();
    await rig.publisher.commit(publications);

    const onDisk = await rig.onDisk();
    expect(publications.map(({ record }) => onDisk[record.name])).toEqual(contents);
    expect(Object.keys(onDisk)).toHaveLength(200);
    expect(onDisk['cat-200.png']).toBeTypeOf('string');
  });

  test('exactly one of two hundred concurrent publications without suffixes succeeds', async () => {
    const contents = Array.from({ length: 200 }, (_, index) => `image ${index}`);

    const outcomes = await Promise.allSettled(contents.map((content) => publish(cat, content)));

    const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    expect(lost).toHaveLength(199);
    expect(lost).toEqual(
      Array(199).fill({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'artifact_exists' }),
      }),
    );
    expect(await rig.onDisk()).toEqual({ 'cat.png': contents[won] });
    expect(await rig.state.listIntents()).toHaveLength(1);
  });

  test('a failure of one image discards all images of its call', async () => {
    let staged = 0;
    const files = {
      ...rig.files,
      async publish(id: string, name: string) {
        staged += 1;
        if (staged === 3) throw new Error('no more');
        return rig.files.publish(id, name);
      },
    };
    const publisher = createPublisher({ ...rig, files });
    const images = ['a', 'b', 'c'].map((content) => ({ image: imageOf(content) }));

    await expect(publisher.publish('scope', images, anyName, noAbort)).rejects.toThrow('no more');

    expect(await rig.onDisk()).toEqual({});
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test.each(['stage', 'publish', 'settle'] as const)(
    'an abort during %s removes all files and rejects with its reason',
    async (step) => {
      const controller = new AbortController();
      const reason = new Error('disconnected');
      const abortFirst =
        <A extends unknown[], R>(work: (...args: A) => R) =>
        (...args: A): R => {
          controller.abort(reason);
          return work(...args);
        };
      const files = {
        ...rig.files,
        ...(step === 'stage' && { stage: abortFirst(rig.files.stage) }),
        ...(step === 'publish' && { publish: abortFirst(rig.files.publish) }),
        ...(step === 'settle' && { settle: abortFirst(rig.files.settle) }),
      };
      const publisher = createPublisher({ ...rig, files });
      const images = ['a', 'b'].map((content) => ({ image: imageOf(content) }));

      const outcome = publisher.publish('scope', images, anyName, controller.signal);

      await expect(outcome).rejects.toBe(reason);
      expect(await rig.onDisk()).toEqual({});
      expect(await rig.state.listIntents()).toEqual([]);
    },
  );

  test('an aborted signal starts no publication', async () => {
    const outcome = rig.publisher.publish(
      'scope',
      [{ image: imageOf('a') }],
      cat,
      AbortSignal.abort('disconnected'),
    );

    await expect(outcome).rejects.toBe('disconnected');
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('a folder that cannot be written is an artifact error that names no path', async () => {
    await writeFile(rig.root, 'a file in place of the folder');

    const error: unknown = await publish(cat, 'a').catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'artifact' });
    expect(String(error)).not.toContain(rig.directory);
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('a link out of the root is not followed', async () => {
    await mkdir(join(rig.directory, 'outside'));
    await mkdir(rig.root);
    await symlink(join(rig.directory, 'outside'), join(rig.root, 'pets'));

    const outcome = publish({ ...cat, directory: 'pets' }, 'a');

    await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
    expect(await readdir(join(rig.directory, 'outside'))).toEqual([]);
    expect(await rig.state.listIntents()).toEqual([]);
  });
});

const outage = new BridgeError('overloaded', 'the state database is unavailable', {
  details: { reason: 'state_store_full' },
});

const MINUTE_MS = 60_000;

/** Advances the clock in steps until the outcome is known, because the probe of the folder after each try takes real time. */
const outcomeAfter = (clock: ManualClock, outcome: Promise<unknown>, stepMs: number) =>
  expect.poll(async () => {
    await clock.advance(stepMs);
    return Promise.race([outcome, undefined]);
  });

describe('publisher.publish, while the state store cannot write', () => {
  /** Publishes with a store that rejects each change of a name until `recover`. */
  function publishing(target: PublicationTarget) {
    const clock = createManualClock();
    const ids: (string | undefined)[] = [];
    let isOut = true;
    const store: typeof rig.store = {
      ...rig.store,
      async claim(...given) {
        ids.push(given[0][0]?.id);
        if (isOut) throw outage;
        return rig.store.claim(...given);
      },
    };
    const publisher = createPublisher({ ...rig, store, clock });
    const image = { image: imageOf('miaow') };
    return {
      clock,
      ids,
      published: publisher.publish('scope', [image], target, noAbort),
      recover: () => {
        isOut = false;
      },
    };
  }

  test('an image waits in memory, and each try has another id', async () => {
    const { clock, ids, published, recover } = publishing(cat);
    for (let tries = 1; tries <= 3; tries += 1) {
      await expect.poll(() => clock.waiting).toBe(1);
      if (tries === 3) recover();
      await clock.advance(5000);
    }

    const [publication] = await published;
    expect(await rig.onDisk()).toEqual({ 'cat.png': 'miaow' });
    expect(publication?.record.id).toBe(ids.at(-1));
    expect(new Set(ids).size).toBe(4);
  });

  test('an image is given up after ten minutes', async () => {
    const { clock, published } = publishing(cat);
    const outcome = published.catch((error: unknown) => error);

    await outcomeAfter(clock, outcome, MINUTE_MS).toBe(outage);

    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(10 * MINUTE_MS);
    expect(await rig.onDisk()).toEqual({});
  });
});

describe('publisher.refuseTaken', () => {
  const refuse = (target: PublicationTarget, hasSidecar = false) =>
    rig.publisher.refuseTaken('scope', target, { format: 'png', hasSidecar });

  test.each<readonly [string, () => Promise<unknown>, boolean]>([
    ['an artifact', async () => rig.publisher.commit(await publish(cat, 'miaow')), false],
    ['an image that is being published', () => publish(cat, 'miaow'), false],
    ['a foreign file', () => putForeign('cat.png'), false],
    ['a foreign file with the name of the sidecar', () => putForeign('cat.json'), true],
  ])('a name is refused if it is the name of %s', async (_, take, hasSidecar) => {
    await expect(refuse(cat, hasSidecar)).resolves.toBeUndefined();

    await take();

    await expect(refuse(cat, hasSidecar)).rejects.toMatchObject({
      code: 'artifact_exists',
      param: 'output.filename',
    });
    await expect(refuse(anyCat, hasSidecar)).resolves.toBeUndefined();
    await expect(refuse(anyName, hasSidecar)).resolves.toBeUndefined();
  });

  test('a name of another scope is not refused if scopes have folders', async () => {
    const publisher = createPublisher({ ...rig, ownerFolder: createOwnerFolder('shared') });
    await publish(cat, 'miaow');

    const form = { format: 'png', hasSidecar: false } as const;
    await expect(publisher.refuseTaken('other', cat, form)).resolves.toBeUndefined();
    await expect(publisher.refuseTaken('shared', cat, form)).rejects.toMatchObject({
      code: 'artifact_exists',
    });
  });
});

describe('publisher.commit', () => {
  test('a committed image belongs to its scope', async () => {
    const publications = await publish(anyName, 'a', 'b');

    await rig.publisher.commit(publications);

    for (const { record } of publications) {
      expect(await rig.store.find('scope', record.id)).toEqual(record);
    }
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('a discarded publication cannot be committed', async () => {
    const publications = await publish(cat, 'a');
    await rig.publisher.discard(publications);

    const outcome = rig.publisher.commit(publications);

    await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
  });

  test('an empty commit resolves', async () => {
    await expect(rig.publisher.commit([])).resolves.toBeUndefined();
  });
});

describe('publisher.commit, while the state store cannot write', () => {
  /** Commits an image with a store whose `publish` fails until `recover`: before or after its change. */
  async function committing(forMs: number, failsAfterChange = false) {
    const publications = await publish(cat, 'miaow');
    const clock = createManualClock();
    const client = new AbortController();
    let isOut = true;
    const store: typeof rig.store = {
      ...rig.store,
      async publish(ids) {
        if (!isOut || failsAfterChange) await rig.store.publish(ids);
        if (isOut) throw outage;
      },
    };
    const publisher = createPublisher({ ...rig, store, clock });
    const committed = publisher
      .commit(publications, { until: client.signal, forMs })
      .catch((error: unknown) => error);
    await expect.poll(() => clock.waiting).toBe(1);
    return {
      clock,
      client,
      committed,
      find: () => rig.store.find('scope', publications[0]?.record.id ?? ''),
      recover: () => {
        isOut = false;
      },
    };
  }

  test('the image is committed once the store is available again', async () => {
    const { clock, committed, find, recover } = await committing(MINUTE_MS);

    recover();
    await clock.advance(5000);

    expect(await committed).toBeUndefined();
    expect(await find()).toMatchObject({ name: 'cat.png' });
  });

  test('a commit whose reply was lost is not repeated', async () => {
    const { clock, committed, find, recover } = await committing(MINUTE_MS, true);

    recover();
    await clock.advance(5000);

    expect(await committed).toBeUndefined();
    expect(await find()).toMatchObject({ name: 'cat.png' });
  });

  test('the commit is given up at the deadline', async () => {
    const { clock, committed, find } = await committing(MINUTE_MS);

    await outcomeAfter(clock, committed, 5000).toBe(outage);

    expect(clock.monotonicMs()).toBeGreaterThan(MINUTE_MS - 10_000);
    expect(await find()).toBeUndefined();
  });

  test('the commit is given up when nobody waits for the image', async () => {
    const { client, committed, find } = await committing(MINUTE_MS);

    client.abort();

    expect(await committed).toBe(outage);
    expect(await find()).toBeUndefined();
  });
});

describe('publisher.discard', () => {
  test('a committed image keeps its file', async () => {
    const publications = await publish(cat, 'a');
    await rig.publisher.commit(publications);

    await rig.publisher.discard(publications);

    expect(await rig.names()).toEqual(['cat.png']);
    expect(await rig.store.totals()).toMatchObject({ count: 1 });
  });

  test('a publication that another process has taken over keeps its file', async () => {
    const publications = await publish(cat, 'a');
    const ids = publications.map(({ record }) => record.id);
    await rig.store.abandon(ids);
    const { artifacts: other } = await rig.stores.ofNextProcess();
    await other.takeAbandoned({ after: '', limit: 100 });

    await rig.publisher.discard(publications);

    expect(await rig.names()).toEqual(['cat.png']);
    expect(await other.findOwnIntents(ids)).toEqual(ids);
  });

  test('a publication whose intent another process has removed leaves no file', async () => {
    const publications = await publish(cat, 'a');
    const ids = publications.map(({ record }) => record.id);
    await rig.store.abandon(ids);
    const { artifacts: other } = await rig.stores.ofNextProcess();
    await other.takeAbandoned({ after: '', limit: 100 });
    await other.discard(ids);

    await rig.publisher.discard(publications);

    expect(await rig.names()).toEqual([]);
  });

  test('files and intents are removed, and the name is free again', async () => {
    await rig.publisher.discard(await publish(cat, 'a'));

    expect(await rig.onDisk()).toEqual({});
    expect(await publish(cat, 'b')).toHaveLength(1);
  });

  test('a file that another program has replaced stays', async () => {
    const publications = await publish(cat, 'a');
    await rm(join(rig.root, 'cat.png'));
    await putForeign('cat.png');

    await rig.publisher.discard(publications);

    expect(await rig.onDisk()).toEqual({ 'cat.png': 'foreign' });
    expect(await rig.state.listIntents()).toEqual([]);
  });
});

describe('publisher.finish', () => {
  test('only publications whose files have their recorded content are complete', async () => {
    const [whole, changed, missing] = await Promise.all(
      ['a', 'b', 'c'].map((name) => publish({ ...cat, filename: name }, name)),
    );
    const records = [whole, changed, missing].flatMap((one) => one!.map(({ record }) => record));
    await writeFile(join(rig.root, 'b.png'), 'B');
    await rm(join(rig.root, 'c.png'));

    expect(await rig.publisher.finish(records)).toEqual([records[0]?.id]);
  });
});

describe('publisher.recover', () => {
  test('unfinished publications are removed, and finished publications stay', async () => {
    await rig.publisher.commit(await publish({ ...cat, directory: 'done' }, 'a'));
    await publish(cat, 'b');

    await rig.recover();

    expect(await rig.onDisk()).toEqual({ 'done/cat.png': 'a' });
    expect(await rig.state.listIntents()).toEqual([]);
  });

  test('a name that the store failed to release is free again after the store is writable', async () => {
    const publications = await publish(cat, 'a');
    const { setReadOnly } = rig.state;

    setReadOnly(true);
    await expect(rig.publisher.discard(publications)).rejects.toMatchObject({ code: 'overloaded' });
    await expect(rig.publisher.recover()).rejects.toMatchObject({ code: 'overloaded' });
    setReadOnly(false);
    await rig.publisher.recover();

    expect(await rig.state.listIntents()).toEqual([]);
    expect(await publish(cat, 'b')).toHaveLength(1);
  });

  test('an artifact whose file is missing keeps its row', async () => {
    const publications = await publish(cat, 'a');
    await rig.publisher.commit(publications);
    await rm(join(rig.root, 'cat.png'));

    await rig.recover();

    expect(await rig.store.find('scope', publications[0]!.record.id)).toBeDefined();
  });

  test('an intent is kept while the artifact root is missing', async () => {
    const [publication] = await publish(cat, 'a');
    await rename(rig.root, `${rig.root} elsewhere`);
    // This is the empty mount point of an unmounted volume.
    await mkdir(rig.root);

    await expect(rig.recover()).rejects.toMatchObject({ code: 'artifact' });
    const pending = await rig.state.listIntents();
    await rm(rig.root, { recursive: true });
    await rename(`${rig.root} elsewhere`, rig.root);
    await rig.recover();

    expect(pending).toEqual([publication?.record]);
    expect(await rig.state.listIntents()).toEqual([]);
    expect(await rig.names()).toEqual([]);
  });

  test('an intent whose files and folder are missing is deleted', async () => {
    const [publication] = await publish({ ...cat, directory: 'pets' }, 'a');
    await rm(join(rig.root, 'pets'), { recursive: true });
    await rm(join(rig.root, '.staging', publication!.record.id), { force: true });

    await rig.recover();

    expect(await rig.state.listIntents()).toEqual([]);
  });

  test.each(['same length', 'another length'])(
    'a foreign file under an intended name stays: %s',
    async (content) => {
      await publish(cat, 'some length');
      await rm(join(rig.root, 'cat.png'));
      await putForeign('cat.png', content);

      await rig.recover();

      expect(await rig.onDisk()).toEqual({ 'cat.png': content });
    },
  );

  test('a link under an intended name stays, and so does its target', async () => {
    await publish(cat, 'a');
    await rm(join(rig.root, 'cat.png'));
    await writeFile(join(rig.directory, 'outside'), 'a');
    await symlink(join(rig.directory, 'outside'), join(rig.root, 'cat.png'));

    await rig.recover();

    expect(await rig.onDisk()).toEqual({ 'cat.png': 'a' });
    expect(await readFile(join(rig.directory, 'outside'), 'utf8')).toBe('a');
  });

  // One image, a name with a suffix because of a foreign file, and several images, with a crash at every step.
  const scripts: readonly { target: PublicationTarget; contents: string[]; foreign: string[] }[] = [
    { target: { ...cat, directory: 'a/b' }, contents: ['x'], foreign: [] },
    { target: anyCat, contents: ['x'], foreign: ['cat.png', 'cat-2.png'] },
    { target: anyName, contents: ['x', 'y', 'z'], foreign: [] },
  ];

  test.each(scripts)(
    'a crash before or after any step leaves nothing behind: %j',
    async (script) => {
      for (const name of script.foreign) await putForeign(name, 'x');
      const foreign = await rig.onDisk();
      const survivors: unknown[] = [];
      let steps = 0;

      for (let crashAt = 1, finished = false; !finished; crashAt += 1) {
        const life = { steps: crashAt, over: false };
        const publisher = createPublisher({
          ...rig,
          store: mortal(rig.store, life),
          files: mortal(rig.files, life),
        });
        const images = script.contents.map((content) => ({ image: imageOf(content) }));
        finished = await publisher.publish('scope', images, script.target, noAbort).then(
          () => true,
          () => false,
        );

        await rig.recover();

        survivors.push(await rig.onDisk(), await rig.state.listIntents());
        steps = crashAt;
      }

      expect(steps).toBeGreaterThanOrEqual(10);
      expect(survivors).toEqual(Array(steps).fill([foreign, []]).flat());
    },
  );
});
