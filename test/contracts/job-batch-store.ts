import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JobBatchStore, StoredBatch } from '../../lib/jobs/job-batch-store-port.ts';

interface Opened {
  readonly store: JobBatchStore;
  close(): Promise<void>;
}

const NOW = 1_700_000_000;

function batch(nth: number, overrides: Partial<StoredBatch> = {}): StoredBatch {
  return {
    id: `01890000-0000-7000-8000-${String(nth).padStart(12, '0')}`,
    scope: 'anonymous',
    action: 'label',
    jobs: [{ id: 'one', labels: ['क', 'b'] }, { id: 'two', priority: -3 }, { id: 'three' }],
    expiresSecs: NOW + 10,
    ...overrides,
  };
}

/** The contract of every store of batches. */
export function describeJobBatchStore(label: string, open: () => Promise<Opened>): void {
  describe(`JobBatchStore: ${label}`, () => {
    let store: JobBatchStore;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ store, close } = await open());
    });
    afterEach(() => close());

    const add = (one: StoredBatch, maxOfScope = 9) => store.add(one, { nowSecs: NOW, maxOfScope });

    test('a batch is found as it was added, in its scope and until it expires', async () => {
      const one = batch(1);
      await add(one);

      expect(await store.find('anonymous', one.id, NOW + 9)).toEqual(one);
      expect(await store.find('other', one.id, NOW)).toBeUndefined();
      expect(await store.find('anonymous', one.id, NOW + 10)).toBeUndefined();
      expect(await store.find('anonymous', 'no id', NOW)).toBeUndefined();
    });

    test('a removed batch is not found', async () => {
      const one = batch(1);
      await add(one);

      await store.remove(one.id);

      expect(await store.find('anonymous', one.id, NOW)).toBeUndefined();
    });

    test('the jobs of a batch are replaced, and a batch that was removed stays removed', async () => {
      const [one, other] = [batch(1), batch(2)];
      await add(one);
      await add(other);
      await store.remove(other.id);

      for (const { id } of [one, other]) await store.replaceJobs(id, [{ id: 'two', priority: 4 }]);

      const jobs = [{ id: 'two', priority: 4 }];
      expect(await store.find('anonymous', one.id, NOW)).toEqual({ ...one, jobs });
      expect(await store.find('anonymous', other.id, NOW)).toBeUndefined();
    });

    test('a scope keeps its latest batches, and expired batches are removed', async () => {
      const other = batch(1, { scope: 'other' });
      const expired = batch(2, { scope: 'third', expiresSecs: NOW + 1 });
      const own = [batch(3), batch(4), batch(5)];
      for (const one of [other, expired, ...own]) await add(one, 2);

      await store.add(batch(6, { scope: 'fourth' }), { nowSecs: NOW + 1, maxOfScope: 2 });

      const found = await Promise.all(
        [other, expired, ...own].map(({ scope, id }) => store.find(scope, id, NOW)),
      );
      expect(found.map((one) => one !== undefined)).toEqual([true, false, false, true, true]);
    });
  });
}
