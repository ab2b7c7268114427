import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PresetRecord, PresetStore } from '../../lib/presets/preset-store-port.ts';

interface Opened {
  readonly store: PresetStore;
  close(): Promise<void>;
}

const NOW_SECS = 1_700_000_000;

function preset(name: string, overrides: Partial<PresetRecord> = {}): PresetRecord {
  return {
    name,
    title: `Über ${name}`,
    description: `all about ${name}`,
    template: {
      operation: 'generate',
      prompt: 'a flat icon',
      parameters: { n: 2 },
      output: {},
      routing: {},
      session: {},
      policies: {},
      metadata: {},
    },
    createdSecs: NOW_SECS,
    updatedSecs: NOW_SECS,
    ...overrides,
  };
}

/** The contract of every preset store. */
export function describePresetStore(label: string, open: () => Promise<Opened>): void {
  describe(`PresetStore: ${label}`, () => {
    let store: PresetStore;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ store, close } = await open());
    });
    afterEach(() => close());

    test('a preset is found with the fields it was created with', async () => {
      const { title: _, description: __, ...bare } = preset('bare');
      await store.create(preset('icons'));
      await store.create(bare);

      expect(await store.find('icons')).toEqual(preset('icons'));
      expect(await store.find('bare')).toEqual(bare);
    });

    test('names differ by their exact bytes', async () => {
      for (const name of ['icons', 'Icons', 'icons.', 'icons-2']) await store.create(preset(name));

      const { items } = await store.list({ limit: 10 });

      expect(items.map(({ name }) => name)).toEqual(['Icons', 'icons', 'icons-2', 'icons.']);
    });

    test('exactly one of several concurrent creations under one name succeeds', async () => {
      const descriptions = ['first', 'second', 'third'];

      const outcomes = await Promise.allSettled(
        descriptions.map((description) => store.create(preset('icons', { description }))),
      );

      const created = outcomes.findIndex(({ status }) => status === 'fulfilled');
      expect(outcomes.toSpliced(created, 1)).toMatchObject([
        { reason: { code: 'preset_exists' } },
        { reason: { code: 'preset_exists' } },
      ]);
      expect(await store.find('icons')).toMatchObject({ description: descriptions[created] });
    });

    test('a replacement keeps only the name and the time of the creation', async () => {
      await store.create(preset('icons'));
      const {
        createdSecs: _,
        title: ___,
        description: __,
        ...next
      } = preset('icons', {
        template: { ...preset('icons').template, parameters: {} },
        updatedSecs: NOW_SECS + 5,
      });

      const replaced = await store.replace(next);

      expect(replaced).toEqual({ ...next, createdSecs: NOW_SECS });
      expect(await store.find('icons')).toEqual(replaced);
    });

    test('a missing preset is not found, replaced or removed', async () => {
      await store.create(preset('icons'));

      const replies = [
        await store.find('Icons'),
        await store.replace(preset('Icons')),
        await store.remove('Icons'),
      ];

      expect(replies).toEqual([undefined, undefined, false]);
      expect((await store.list({ limit: 10 })).items).toHaveLength(1);
    });

    test('a removed preset is not found, and its name is free', async () => {
      await store.create(preset('icons'));

      expect(await store.remove('icons')).toBe(true);

      expect(await store.find('icons')).toBeUndefined();
      await expect(store.create(preset('icons'))).resolves.toBeUndefined();
    });

    test('pages follow each other by name, also when earlier presets are added and removed', async () => {
      for (const name of ['e', 'c', 'a', 'd', 'b']) await store.create(preset(name));

      const first = await store.list({ limit: 2 });
      await store.create(preset('aa'));
      await store.remove('b');
      const second = await store.list({ limit: 2, after: 'b' });
      const third = await store.list({ limit: 2, after: 'd' });

      const pages = [first, second, third];
      expect(pages.map(({ items }) => items.map(({ name }) => name))).toEqual([
        ['a', 'b'],
        ['c', 'd'],
        ['e'],
      ]);
      expect(pages.map(({ more }) => more)).toEqual([true, true, false]);
    });
  });
}
