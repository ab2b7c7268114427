import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactRecord, ArtifactStore } from '../../lib/artifacts/artifact-store-port.ts';

interface Opened {
  readonly store: ArtifactStore;
  /** The same artifacts for another process, whose lease ends at the given time in Unix seconds. */
  other(leaseUntilSecs: number): Promise<ArtifactStore>;
  close(): Promise<void>;
}

type Draft = Omit<ArtifactRecord, 'name' | 'sidecar'>;

const PAST_SECS = 100;
const FUTURE_SECS = 10_000_000_000;
const ALL = { after: '', limit: 100 };

let made = 0;

function draft(overrides: Partial<Draft> = {}): Draft {
  made += 1;
  return {
    id: made.toString(16).padStart(32, '0'),
    scope: 'anonymous',
    format: 'png',
    width: 640,
    height: 480,
    bytes: 1234,
    sha256: 'ab'.repeat(32),
    createdSecs: 1_700_000_000,
    ...overrides,
  };
}

/** Returns one image for each of these names. */
function under(image: Draft, ...names: readonly string[]): ArtifactRecord[] {
  return names.map((name) => ({ ...image, name }));
}

/** Returns one image with a sidecar for each of these names. */
function withSidecar(image: Draft, ...stems: readonly string[]): ArtifactRecord[] {
  return stems.map((stem) => ({
    ...image,
    name: `${stem}.png`,
    sidecar: { name: `${stem}.json`, bytes: 99, sha256: 'cd'.repeat(32) },
  }));
}

/** The contract of every artifact store. */
export function describeArtifactStore(label: string, open: () => Promise<Opened>): void {
  describe(`ArtifactStore: ${label}`, () => {
    let store: ArtifactStore;
    let other: Opened['other'];
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ store, other, close } = await open());
    });
    afterEach(() => close());

    async function claim(image: Draft, ...names: string[]): Promise<string | undefined> {
      return (await store.claim(under(image, ...names)))?.name;
    }

    async function published(overrides: Partial<Draft> = {}): Promise<ArtifactRecord> {
      const record = draft(overrides);
      await claim(record, `${record.id}.png`);
      await store.publish([record.id]);
      return { ...record, name: `${record.id}.png` };
    }

    test('a claim takes the first name that is free', async () => {
      await claim(draft(), 'a.png');
      await claim(draft(), 'a-2.png');

      const name = await claim(draft(), 'a.png', 'a-2.png', 'a-3.png', 'a-4.png');

      expect(name).toBe('a-3.png');
    });

    test('a claim stores nothing if all its names are taken', async () => {
      const [first, second] = [draft(), draft()];
      await claim(first, 'a.png');

      const name = await claim(second, 'a.png');

      expect(name).toBeUndefined();
      expect(await store.findOwnIntents([first.id, second.id])).toEqual([first.id]);
    });

    test('names are taken across scopes and stay taken after publication', async () => {
      const first = draft({ scope: 'one' });
      await claim(first, 'a.png');
      await store.publish([first.id]);

      const name = await claim(draft({ scope: 'two' }), 'a.png');

      expect(name).toBeUndefined();
    });

    test('concurrent claims of the same names get different names', async () => {
      const names = Array.from({ length: 50 }, (_, index) => `a-${index}.png`);

      const taken = await Promise.all(names.map(() => claim(draft(), ...names)));

      expect(new Set(taken)).toEqual(new Set(names));
    });

    test('renaming a pending artifact frees its old name', async () => {
      const moved = draft();
      await claim(moved, 'a.png');
      await claim(draft(), 'b.png');

      const renamed = await store.rename(under(moved, 'b.png', 'c.png'));

      expect(renamed).toEqual({ ...moved, name: 'c.png' });
      expect(await claim(draft(), 'a.png')).toBe('a.png');
    });

    test('a pending artifact keeps its name if every new name is taken', async () => {
      const moved = draft();
      await claim(moved, 'a.png');
      await claim(draft(), 'b.png');

      const renamed = await store.rename(under(moved, 'b.png'));

      expect(renamed).toBeUndefined();
      await store.publish([moved.id]);
      expect(await store.find(moved.scope, moved.id)).toEqual({ ...moved, name: 'a.png' });
    });

    test('a published artifact keeps its name', async () => {
      const record = await published();

      const outcome = store.rename(under(record, 'other.png'));

      await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
      expect(await store.find(record.scope, record.id)).toEqual(record);
    });

    test('a pending artifact is an intent of its process and cannot be found', async () => {
      const pending = draft();
      await claim(pending, 'a.png');

      expect(await store.find(pending.scope, pending.id)).toBeUndefined();
      expect(await store.findOwnIntents([pending.id])).toEqual([pending.id]);
    });

    test('a published artifact is found in its scope as it was claimed, and is no longer an intent', async () => {
      const record = await published({ format: 'webp', width: 1, height: 2, bytes: 3 });

      expect(await store.find(record.scope, record.id)).toEqual(record);
      expect(await store.findOwnIntents([record.id])).toEqual([]);
    });

    test.each([
      ['another scope', 'other', undefined],
      ['an empty scope', '', undefined],
      ['an unknown id', 'anonymous', 'f'.repeat(32)],
      ['a malformed id', 'anonymous', "' OR 1=1 --"],
      ['an id with a NUL', 'anonymous', '\0'],
    ])('no artifact is found by %s', async (_, scope, id) => {
      const record = await published();

      expect(await store.find(scope, id ?? record.id)).toBeUndefined();
    });

    test('pending artifacts are published all or none', async () => {
      const first = draft();
      await claim(first, 'a.png');

      const outcome = store.publish([first.id, 'f'.repeat(32)]);

      await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
      expect(await store.find(first.scope, first.id)).toBeUndefined();
      expect(await store.findOwnIntents([first.id])).toEqual([first.id]);
    });

    test('an artifact is not published twice', async () => {
      const record = await published();

      await expect(store.publish([record.id])).rejects.toMatchObject({ code: 'artifact' });
    });

    test('a discarded artifact is removed and its name is free', async () => {
      const dropped = draft();
      await claim(dropped, 'a.png');

      await store.discard([dropped.id]);

      expect(await store.isEmpty()).toBe(true);
      expect(await claim(draft(), 'a.png')).toBe('a.png');
    });

    test('a process takes over the pending artifacts of ended processes, and only those', async () => {
      const [mine, running, ended] = [draft(), draft(), draft()];
      await claim(mine, 'mine.png');
      const neighbour = await other(FUTURE_SECS);
      await neighbour.claim(under(running, 'running.png'));
      const gone = await other(PAST_SECS);
      const [record] = under(ended, 'ended.png');
      await gone.claim([record!]);
      const early = store.publish([ended.id]);
      await expect(early).rejects.toMatchObject({ code: 'artifact' });

      const taken = await store.takeAbandoned(ALL);

      expect(taken).toEqual([record]);
      expect(await store.takeAbandoned(ALL)).toEqual([]);
      await expect(gone.publish([ended.id])).rejects.toMatchObject({ code: 'artifact' });
      await expect(neighbour.publish([running.id])).resolves.toBeUndefined();
      await expect(store.publish([mine.id, ended.id])).resolves.toBeUndefined();
    });

    test('abandoned intents are taken over in pages', async () => {
      const intents = [draft(), draft(), draft()];
      for (const { id, ...rest } of intents) await claim({ id, ...rest }, `${id}.png`);
      const ids = intents.map(({ id }) => id);
      await store.abandon(ids);
      const neighbour = await other(FUTURE_SECS);

      const first = await neighbour.takeAbandoned({ after: '', limit: 2 });
      const second = await neighbour.takeAbandoned({ after: ids[1] ?? '', limit: 2 });

      expect([first, second].map((page) => page.map(({ id }) => id))).toEqual([
        ids.slice(0, 2),
        ids.slice(2),
      ]);
    });

    test('an artifact that a process released is taken over, and a published one is not', async () => {
      const artifact = await published();
      const intent = draft();
      await claim(intent, 'a.png');

      await store.abandon([artifact.id, intent.id]);

      const neighbour = await other(FUTURE_SECS);
      expect(await neighbour.takeAbandoned(ALL)).toEqual([{ ...intent, name: 'a.png' }]);
      expect(await store.takeAbandoned(ALL)).toEqual([]);
      expect(await store.find(artifact.scope, artifact.id)).toEqual(artifact);
    });

    test('a process cannot change the pending artifact of another process', async () => {
      const theirs = draft();
      const neighbour = await other(FUTURE_SECS);
      await neighbour.claim(under(theirs, 'theirs.png'));

      await store.discard([theirs.id]);
      await store.abandon([theirs.id]);
      const renamed = store.rename(under(theirs, 'ours.png'));

      await expect(renamed).rejects.toMatchObject({ code: 'artifact' });
      expect(await store.findOwnIntents([theirs.id])).toEqual([]);
      expect(await neighbour.findOwnIntents([theirs.id])).toEqual([theirs.id]);
      expect(await claim(draft(), 'theirs.png')).toBeUndefined();
      expect(await claim(draft(), 'ours.png')).toBe('ours.png');
    });

    test('of two processes that withdraw the same artifacts, one gets each artifact', async () => {
      const records = [await published(), await published(), await published()];
      const ids = records.map(({ id }) => id);
      const neighbour = await other(FUTURE_SECS);

      const taken = await Promise.all([
        store.withdraw(ids.slice(0, 2)),
        neighbour.withdraw(ids.slice(1)),
      ]);

      const [ours, theirs] = taken.map((withdrawn) => withdrawn.map(({ id }) => id).toSorted());
      expect([...ours!, ...theirs!].sort()).toEqual(ids);
      expect((await store.findOwnIntents(ids)).toSorted()).toEqual(ours);
      expect((await neighbour.findOwnIntents(ids)).toSorted()).toEqual(theirs);
    });

    test('the store is empty if it has neither artifacts nor pending artifacts', async () => {
      const before = await store.isEmpty();
      const pending = draft();
      await claim(pending, 'a.png');
      const withPending = await store.isEmpty();
      await store.publish([pending.id]);

      expect([before, withPending, await store.isEmpty()]).toEqual([true, false, false]);
    });

    test('the names of artifacts, intents and sidecars are found among other names', async () => {
      await published({ id: 'e'.repeat(32) });
      await claim(draft(), 'pending.png');
      await store.claim(withSidecar(draft(), 'beside'));
      const names = [`${'e'.repeat(32)}.png`, 'pending.png', 'beside.png', 'beside.json'];

      const found = await store.findNames([...names, 'other.png', 'pending.json']);

      expect(found).toEqual(new Set(names));
    });

    test('a sidecar is claimed, taken over and found with its image', async () => {
      const [record] = withSidecar(draft(), 'a');
      const claimed = await store.claim([record!]);
      await store.abandon([record!.id]);
      const taken = await store.takeAbandoned(ALL);

      await store.publish([record!.id]);

      expect(claimed).toEqual(record);
      expect(taken).toEqual([record]);
      expect(await store.find(record!.scope, record!.id)).toEqual(record);
    });

    test('a candidate is free only if the name of its sidecar is free', async () => {
      // The images have different names, but a.jpg and a.png would share a.json.
      const [other] = withSidecar(draft({ format: 'jpeg' }), 'a');
      await store.claim([{ ...other!, name: 'a.jpg' }]);

      const claimed = await store.claim(withSidecar(draft(), 'a', 'a-2'));

      expect(claimed?.name).toBe('a-2.png');
      expect(claimed?.sidecar?.name).toBe('a-2.json');
    });

    test('renaming a pending artifact renames its sidecar, and skips names of other sidecars', async () => {
      const moved = draft();
      await store.claim(withSidecar(moved, 'a'));
      const [other] = withSidecar(draft(), 'b');
      await store.claim([{ ...other!, name: 'b.webp' }]);

      const renamed = await store.rename(withSidecar(moved, 'b', 'c'));

      expect(renamed).toEqual(withSidecar(moved, 'c')[0]);
      expect(await store.claim(withSidecar(draft(), 'a'))).toMatchObject({ name: 'a.png' });
      await store.publish([moved.id]);
      expect(await store.find(moved.scope, moved.id)).toEqual(renamed);
    });

    test('an image without a sidecar does not take the name of an image with one', async () => {
      await store.claim(withSidecar(draft(), 'a'));

      expect(await claim(draft(), 'b.png')).toBe('b.png');
      expect(await claim(draft(), 'c.png')).toBe('c.png');
    });

    test('discarding an artifact frees the name of its sidecar', async () => {
      const dropped = draft();
      await store.claim(withSidecar(dropped, 'a'));

      await store.discard([dropped.id]);

      expect(await store.claim(withSidecar(draft(), 'a'))).toMatchObject({ name: 'a.png' });
    });

    test('totals do not count sidecars', async () => {
      const record = draft({ bytes: 100 });
      await store.claim(withSidecar(record, 'a'));
      await store.publish([record.id]);

      expect(await store.totals()).toEqual({ count: 1, bytes: 100 });
    });

    test('totals count the published artifacts of all scopes, and no pending ones', async () => {
      const before = await store.totals();
      await published({ bytes: 100 });
      await published({ bytes: 20, scope: 'other' });
      const pending = draft({ bytes: 3 });
      await claim(pending, 'pending.png');

      const after = await store.totals();
      await store.discard([pending.id]);

      expect(before).toEqual({ count: 0, bytes: 0 });
      expect(after).toEqual({ count: 2, bytes: 120 });
      expect(await store.totals()).toEqual(after);
    });

    test('totals do not count a publication that was rolled back', async () => {
      const first = draft();
      await claim(first, 'a.png');

      await expect(store.publish([first.id, 'f'.repeat(32)])).rejects.toThrow();

      expect(await store.totals()).toEqual({ count: 0, bytes: 0 });
    });

    test('a withdrawn artifact is pending again, and totals do not count it', async () => {
      const [discarded, stays] = [await published({ bytes: 100 }), await published({ bytes: 20 })];

      const withdrawn = await store.withdraw([discarded.id]);

      expect(withdrawn).toEqual([discarded]);
      expect(await store.find(discarded.scope, discarded.id)).toBeUndefined();
      expect(await store.findOwnIntents([discarded.id, stays.id])).toEqual([discarded.id]);
      expect(await store.totals()).toEqual({ count: 1, bytes: stays.bytes });
      expect(await claim(draft(), discarded.name)).toBeUndefined();
    });

    test('a withdrawn artifact may be published again, or discarded', async () => {
      const [back, discarded] = [await published({ bytes: 100 }), await published({ bytes: 20 })];
      await store.withdraw([back.id, discarded.id]);

      await store.publish([back.id]);
      await store.discard([discarded.id]);

      expect(await store.find(back.scope, back.id)).toEqual(back);
      expect(await store.findOwnIntents([back.id, discarded.id])).toEqual([]);
      expect(await store.totals()).toEqual({ count: 1, bytes: 100 });
    });

    test('an artifact keeps the provenance of its image', async () => {
      const provenance = {
        found: 'valid',
        signer: 'Exämple "Organisation"',
        credentials: 'dropped',
        reason: 'converted',
        mark: 'written',
        source_type: 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia',
      } as const;

      const record = await published({ provenance });

      expect(await store.find(record.scope, record.id)).toEqual(record);
      expect(await store.withdraw([record.id])).toEqual([record]);
    });

    test('only published artifacts are withdrawn', async () => {
      const pending = draft();
      await claim(pending, 'a.png');

      const withdrawn = await store.withdraw([pending.id, 'f'.repeat(32)]);

      expect(withdrawn).toEqual([]);
      expect(await store.findOwnIntents([pending.id])).toEqual([pending.id]);
      expect(await store.totals()).toEqual({ count: 0, bytes: 0 });
    });

    test('published artifacts before a time are listed by age in pages', async () => {
      const ages = [50, 20, 40, 20, 10, 60];
      const records = [];
      for (const createdSecs of ages) records.push(await published({ createdSecs }));
      await claim(draft({ createdSecs: 1 }), 'pending.png');
      const expected = records
        .filter(({ createdSecs }) => createdSecs <= 50)
        .sort((one, two) => one.createdSecs - two.createdSecs || (one.id < two.id ? -1 : 1));

      const first = await store.listByAge({ untilSecs: 50, limit: 2 });
      const second = await store.listByAge({ untilSecs: 50, after: first.at(-1), limit: 2 });
      const third = await store.listByAge({ untilSecs: 50, after: second.at(-1), limit: 2 });
      const none = await store.listByAge({ untilSecs: 50, after: third.at(-1), limit: 2 });

      expect([...first, ...second, ...third]).toEqual(expected);
      expect(first).toHaveLength(2);
      expect(none).toEqual([]);
    });

    test('a published artifact cannot be discarded', async () => {
      const record = await published();

      await store.discard([record.id, 'f'.repeat(32)]);

      expect(await store.find(record.scope, record.id)).toEqual(record);
    });
  });
}
