import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forever, type JobRig, openJobRig, SCOPE } from './job-rig.ts';

let rig: JobRig;
let ids: string[];

beforeEach(async () => {
  rig = openJobRig();
  ids = [];
  for (let nth = 0; nth < 5; nth += 1) ids.push((await rig.submit()).job.id);
});
afterEach(() => rig.close());

const list = (query: object = {}, scope = SCOPE) =>
  rig.jobLists.list(scope, { visibility: 'active', limit: 2, ...query }, forever);

async function idsOf(page: ReturnType<typeof list>): Promise<string[]> {
  return (await page).items.map(({ id }) => id);
}

describe('createJobLists', () => {
  test('continues below the last job of a page, whatever was added or cancelled meanwhile', async () => {
    const { items, next_cursor: cursor } = await list();
    await rig.submit();
    await rig.jobs.cancel(SCOPE, ids[4] ?? '');

    const second = await list({ cursor });
    const third = await list({ cursor: second.next_cursor });

    const all = [items, second.items, third.items].flat();
    expect(all.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(third).not.toHaveProperty('next_cursor');
  });

  test.each([
    ['another scope', {}, 'other'],
    ['another status', { status: 'queued' }, SCOPE],
    ['a search', { search: 'boat' }, SCOPE],
  ])('refuses a cursor of this list for %s', async (_, query, scope) => {
    const { next_cursor: cursor } = await list();

    const refused = { code: 'invalid_request', param: 'cursor' };
    await expect(list({ ...query, cursor }, scope)).rejects.toMatchObject(refused);
  });

  test('shows the progress of a running job to its owner alone', async () => {
    rig.work();
    await rig.run(0);

    const { items } = await list({ status: 'running' });

    expect(items).toMatchObject([{ id: ids[0], progress: { stage: 'queued', partial_images: 0 } }]);
    expect(await idsOf(list({}, 'other'))).toEqual([]);
  });

  test('continues below a found job that was removed meanwhile', async () => {
    rig.found.sequences = [5, 900];
    rig.found.more = true;
    const first = await list({ search: 'boat' });
    const asked: unknown[] = [];
    Object.assign(rig.search, {
      find: async (...given: unknown[]) => {
        asked.push(...given);
        return { sequences: [], more: false };
      },
    });

    const last = await list({ search: 'boat', cursor: first.next_cursor });

    expect(first.items.map(({ id }) => id)).toEqual([ids[4]]);
    expect(asked[1]).toMatchObject({ term: 'boat', visibility: 'active' });
    expect(asked[2]).toEqual({ before: 900, limit: 2 });
    expect(last).toEqual({ items: [] });
  });
});
