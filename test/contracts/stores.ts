import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Stores } from '../../lib/storage/open-stores.ts';
import { newJob, WIDE } from '../support/jobs.ts';

type OpenStores = Pick<Stores, 'jobs' | 'secret' | 'probe' | 'sizes' | 'close'>;

interface Place {
  /** Opens the stores of this place. Each call opens the same state. */
  open(): Promise<OpenStores>;
  /** Removes the state, after the stores are closed. */
  remove(): Promise<void>;
}

/** The contract of all stores together, from their opening to their close. */
export function describeStores(label: string, create: () => Promise<Place>): void {
  describe(`Stores: ${label}`, () => {
    let place: Place;

    beforeEach(async () => {
      place = await create();
    });
    afterEach(() => place.remove());

    test('the secret is created with the state and kept', async () => {
      const first = await place.open();
      await first.close();
      const second = await place.open();
      await second.close();

      expect(first.secret).toHaveLength(32);
      expect(second.secret).toEqual(first.secret);
    });

    test('a job that was acknowledged before the close is found after the next opening', async () => {
      const first = await place.open();
      const pending = first.jobs.submit(newJob(), WIDE);
      const { job } = await pending;
      await first.close();

      const second = await place.open();
      const found = await second.jobs.find(job.scope, job.id);
      await second.close();

      expect(found).toMatchObject({ id: job.id, status: 'queued' });
    });

    test('the probe succeeds until the stores are closed', async () => {
      const stores = await place.open();

      const before = await stores.probe();
      await stores.close();

      expect([before, await stores.probe()]).toEqual([true, false]);
    });

    test('a write after the close is rejected as overloaded', async () => {
      const stores = await place.open();
      await stores.close();

      const late = stores.jobs.submit(newJob(), WIDE);

      await expect(late).rejects.toMatchObject({ code: 'overloaded' });
    });

    test('the sizes are positive, and the bytes in use do not shrink with a job', async () => {
      const stores = await place.open();
      const before = await stores.sizes();

      await stores.jobs.submit(newJob(), WIDE);
      const after = await stores.sizes();
      await stores.close();

      expect(before.logicalBytes).toBeGreaterThan(0);
      expect(before.physicalBytes).toBeGreaterThan(0);
      expect(after.logicalBytes).toBeGreaterThanOrEqual(before.logicalBytes);
    });
  });
}
