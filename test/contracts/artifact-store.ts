import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactRecord, ArtifactStore } from '../../lib/artifacts/artifact-store-port.ts';

interface Opened {
  readonly store: ArtifactStore;
  close(): Promise<void>;
}

type Draft = Omit<ArtifactRecord, 'name'>;

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

/** What every artifact store promises. */
export function describeArtifactStore(label: string, open: () => Promise<Opened>): void {
  describe(`ArtifactStore: ${label}`, () => {
    let store: ArtifactStore;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ store, close } = await open());
    });
    afterEach(() => close());

    async function published(overrides: Partial<Draft> = {}): Promise<ArtifactRecord> {
      const record = draft(overrides);
      const name = `${record.id}.png`;
      await store.claim(record, [name]);
      await store.publish([record.id]);
      return { ...record, name };
    }

    test('a claim takes the first name that is free', async () => {
      await store.claim(draft(), ['a.png']);
      await store.claim(draft(), ['a-2.png']);

      const name = await store.claim(draft(), ['a.png', 'a-2.png', 'a-3.png', 'a-4.png']);

      expect(name).toBe('a-3.png');
    });

    test('a claim of taken names alone notes nothing', async () => {
      await store.claim(draft(), ['a.png']);

      const name = await store.claim(draft(), ['a.png']);

      expect(name).toBeUndefined();
      expect(await store.listPending()).toHaveLength(1);
    });

    test('names are taken across scopes and stay taken after publication', async () => {
      const first = draft({ scope: 'one' });
      await store.claim(first, ['a.png']);
      await store.publish([first.id]);

      const name = await store.claim(draft({ scope: 'two' }), ['a.png']);

      expect(name).toBeUndefined();
    });

    test('concurrent claims of the same names get one each', async () => {
      const names = Array.from({ length: 50 }, (_, index) => `a-${index}.png`);

      const taken = await Promise.all(names.map(() => store.claim(draft(), names)));

      expect(new Set(taken)).toEqual(new Set(names));
    });

    test('a renamed intent gives its old name free', async () => {
      const moved = draft();
      await store.claim(moved, ['a.png']);
      await store.claim(draft(), ['b.png']);

      const name = await store.rename(moved.id, ['b.png', 'c.png']);

      expect(name).toBe('c.png');
      expect(await store.claim(draft(), ['a.png'])).toBe('a.png');
    });

    test('an intent stays where it is when every new name is taken', async () => {
      const moved = draft();
      await store.claim(moved, ['a.png']);
      await store.claim(draft(), ['b.png']);

      const name = await store.rename(moved.id, ['b.png']);

      expect(name).toBeUndefined();
      expect(await store.listPending()).toContainEqual({ ...moved, name: 'a.png' });
    });

    test('a published artifact keeps its name', async () => {
      const record = await published();

      expect(await store.rename(record.id, ['other.png'])).toBeUndefined();
      expect(await store.find(record.scope, record.id)).toEqual(record);
    });

    test('nobody finds an intent, and every intent is listed', async () => {
      const pending = draft();
      await store.claim(pending, ['a.png']);

      expect(await store.find(pending.scope, pending.id)).toBeUndefined();
      expect(await store.listPending()).toEqual([{ ...pending, name: 'a.png' }]);
    });

    test('its scope finds a published artifact as it was claimed, and no list of intents has it', async () => {
      const record = await published({ format: 'webp', width: 1, height: 2, bytes: 3 });

      expect(await store.find(record.scope, record.id)).toEqual(record);
      expect(await store.listPending()).toEqual([]);
    });

    test.each([
      ['another scope', 'other', undefined],
      ['an empty scope', '', undefined],
      ['an unknown id', 'anonymous', 'f'.repeat(32)],
      ['a malformed id', 'anonymous', "' OR 1=1 --"],
      ['an id with a NUL', 'anonymous', '\0'],
    ])('%s finds nothing', async (_, scope, id) => {
      const record = await published();

      expect(await store.find(scope, id ?? record.id)).toBeUndefined();
    });

    test('intents are published all or none', async () => {
      const first = draft();
      await store.claim(first, ['a.png']);

      const outcome = store.publish([first.id, 'f'.repeat(32)]);

      await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
      expect(await store.find(first.scope, first.id)).toBeUndefined();
      expect(await store.listPending()).toHaveLength(1);
    });

    test('an artifact is not published twice', async () => {
      const record = await published();

      await expect(store.publish([record.id])).rejects.toMatchObject({ code: 'artifact' });
    });

    test('a discarded intent is gone and its name free', async () => {
      const dropped = draft();
      await store.claim(dropped, ['a.png']);

      await store.discard([dropped.id]);

      expect(await store.listPending()).toEqual([]);
      expect(await store.claim(draft(), ['a.png'])).toBe('a.png');
    });

    test('totals count what was published, over all scopes, and no intent', async () => {
      const before = await store.totals();
      await published({ bytes: 100 });
      await published({ bytes: 20, scope: 'other' });
      const pending = draft({ bytes: 3 });
      await store.claim(pending, ['pending.png']);

      const after = await store.totals();
      await store.discard([pending.id]);

      expect(before).toEqual({ count: 0, bytes: 0 });
      expect(after).toEqual({ count: 2, bytes: 120 });
      expect(await store.totals()).toEqual(after);
    });

    test('totals forget a publication that was undone', async () => {
      const first = draft();
      await store.claim(first, ['a.png']);

      await expect(store.publish([first.id, 'f'.repeat(32)])).rejects.toThrow();

      expect(await store.totals()).toEqual({ count: 0, bytes: 0 });
    });

    test('what is published cannot be discarded', async () => {
      const record = await published();

      await store.discard([record.id, 'f'.repeat(32)]);

      expect(await store.find(record.scope, record.id)).toEqual(record);
    });
  });
}
