import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createJobCursors, createJobLists, type ListedJobs } from '../../../lib/jobs/job-lists.ts';
import { forever, type JobRig, openJobRig, SCOPE } from './job-rig.ts';

let rig: JobRig;
let ids: string[];

const list = (query: object = {}, scope = SCOPE) =>
  rig.jobLists.list(scope, { visibility: 'active', limit: 2, ...query }, forever);

async function idsOf(page: ReturnType<typeof list>): Promise<string[]> {
  return (await page).items.map(({ id }) => id);
}

describe('createJobLists', () => {
  beforeEach(async () => {
    rig = await openJobRig();
    ids = [];
    for (let nth = 0; nth < 5; nth += 1) ids.push((await rig.submit()).job.id);
  });
  afterEach(() => rig.close());

  test('the next page begins below the last job of a page, even if jobs were added or cancelled meanwhile', async () => {
    const { items, next_cursor: cursor } = await list();
    await rig.submit();
    await rig.jobs.cancel(SCOPE, ids[4] ?? '');

    const second = await list({ cursor });
    const third = await list({ cursor: second.next_cursor });

    const all = [items, second.items, third.items].flat();
    expect(all.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(third).not.toHaveProperty('next_cursor');
  });

  test('oldest first, the next page begins above the last job of a page, and ends with the newest job', async () => {
    const first = await list({ order: 'oldest' });
    ids.push((await rig.submit()).job.id);
    await rig.jobs.cancel(SCOPE, ids[1] ?? '');

    const second = await list({ order: 'oldest', cursor: first.next_cursor });
    const third = await list({ order: 'oldest', cursor: second.next_cursor, total: true });

    const all = [first, second, third].flatMap(({ items }) => items);
    expect(all.map(({ id }) => id)).toEqual(ids);
    expect(third).not.toHaveProperty('next_cursor');
    expect(third.total).toEqual({ count: 6, at_least: false });
  });

  test.each([
    ['another scope', {}, 'other'],
    ['another order', { order: 'oldest' }, SCOPE],
    ['another status', { status: 'queued' }, SCOPE],
    ['a label', { label: 'cats' }, SCOPE],
    ['a search', { search: 'boat' }, SCOPE],
    ['a query', { q: { all: ['boat'], none: [] } }, SCOPE],
  ])('a cursor is rejected in a list with %s', async (_, query, scope) => {
    const { next_cursor: cursor } = await list();

    const refused = { code: 'invalid_request', param: 'cursor' };
    await expect(list({ ...query, cursor }, scope)).rejects.toMatchObject(refused);
  });

  test('only the owner of a running job sees its progress', async () => {
    rig.work();
    await rig.run(0);

    const { items } = await list({ status: 'running' });

    expect(items).toMatchObject([{ id: ids[0], progress: { stage: 'queued', partial_images: 0 } }]);
    expect(await idsOf(list({}, 'other'))).toEqual([]);
  });

  test('the next page of a search begins below its last job, even if that job was removed', async () => {
    rig.found.sequences = [5, 900];
    rig.found.more = true;
    const first = await list({ search: 'boat' });
    const asked: unknown[] = [];
    rig.search.find = async (...given: unknown[]) => {
      asked.push(...given);
      return { sequences: [], more: false };
    };

    const last = await list({ search: 'boat', cursor: first.next_cursor });

    expect(first.items.map(({ id }) => id)).toEqual([ids[4]]);
    expect(asked[1]).toEqual({ terms: { all: ['boat'], none: [] }, visibility: 'active' });
    expect(asked[2]).toEqual({ before: 900, limit: 2 });
    expect(last).toEqual({ items: [] });
  });
});

const BOAT = { all: ['red boat', 'harbour'], none: ['night'] };

describe('createJobLists, its terms and total', () => {
  let asked: unknown[][];

  beforeEach(async () => {
    rig = await openJobRig();
    asked = [];
    for (let nth = 0; nth < 3; nth += 1) await rig.submit();
    rig.search.find = async (...given: unknown[]) => {
      asked.push(given);
      return rig.found;
    };
  });
  afterEach(() => rig.close());

  test('a list with a search and a query has the jobs that match both', async () => {
    await list({ search: 'a boat', q: BOAT });

    const terms = { all: ['a boat', 'red boat', 'harbour'], none: ['night'] };
    expect(asked).toEqual([
      [SCOPE, { terms, visibility: 'active' }, { limit: 2 }, expect.any(AbortSignal)],
    ]);
  });

  test('oldest first, a search begins with the oldest job, and its next page above the last found', async () => {
    rig.found.sequences = [1, 2];
    rig.found.more = true;

    const { items, next_cursor: cursor } = await list({ search: 'a boat', order: 'oldest' });
    await list({ search: 'a boat', order: 'oldest', cursor });

    expect(items).toHaveLength(2);
    expect(asked.map((given) => given[2])).toEqual([
      { after: 0, limit: 2 },
      { after: 2, limit: 2 },
    ]);
  });

  test('a query without terms matches every job', async () => {
    const { items } = await list({ q: { all: [], none: [] } });

    expect(items).toHaveLength(2);
    expect(asked).toEqual([]);
  });

  test('the total counts the jobs of all pages, and is absent unless requested', async () => {
    const first = await list({ total: true });
    const second = await list({ total: true, cursor: first.next_cursor });

    expect([first.total, second.total]).toEqual(Array(2).fill({ count: 3, at_least: false }));
    expect(await list({ total: true, status: 'failed' })).toEqual({
      items: [],
      total: { count: 0, at_least: false },
    });
    expect(await list({ total: false })).not.toHaveProperty('total');
  });

  test('the total of a search counts its matches', async () => {
    rig.found.sequences = [3, 1];

    const { total } = await list({ q: BOAT, total: true });

    expect(total).toEqual({ count: 2, at_least: false });
    expect(asked.map(([, , page]) => page)).toEqual([{ limit: 2 }, { limit: 10_000 }]);
  });

  test('a total above 10,000 is at least 10,000', async () => {
    const { list: listJobs } = createJobLists({
      store: { ...rig.store, count: async (_scope, _filter, limit) => limit },
      search: {
        find: async (_scope, _terms, { limit }) => ({
          sequences: Array(limit).fill(1),
          more: true,
        }),
      },
      progress: rig.stores.progress,
      secret: Buffer.alloc(32),
    });
    const query = { visibility: 'active', limit: 1, total: true } as const;

    const listed = await listJobs(SCOPE, query, forever);
    const found = await listJobs(SCOPE, { ...query, search: 'boat' }, forever);

    expect(listed.total).toEqual({ count: 10_000, at_least: true });
    expect(found.total).toEqual({ count: 10_000, at_least: true });
  });
});

const SECRET = Buffer.alloc(32, 7);
const LISTED: ListedJobs = { scope: 'anonymous', visibility: 'active' };

const cursors = createJobCursors(SECRET);

describe('createJobCursors', () => {
  test.each([1, 4711, Number.MAX_SAFE_INTEGER])('a cursor holds the sequence %i', (sequence) => {
    const cursor = cursors.write(LISTED, sequence);

    expect(cursors.read(LISTED, cursor)).toBe(sequence);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  test('a cursor is valid after a restart', () => {
    const cursor = cursors.write(LISTED, 5);

    expect(createJobCursors(Buffer.from(SECRET)).read({ ...LISTED }, cursor)).toBe(5);
  });

  test.each<[string, ListedJobs]>([
    ['another scope', { ...LISTED, scope: 'other' }],
    ['another visibility', { ...LISTED, visibility: 'all' }],
    ['a status', { ...LISTED, status: 'failed' }],
    ['favourites alone', { ...LISTED, favorite: true }],
    ['all but favourites', { ...LISTED, favorite: false }],
    ['a provider', { ...LISTED, provider: 'sandbox' }],
    ['a model', { ...LISTED, model: 'sandbox-image' }],
    ['an operation', { ...LISTED, operation: 'edit' }],
    ['a size', { ...LISTED, size: { kind: 'auto' } }],
    ['a first time', { ...LISTED, createdFromSecs: 7 }],
    ['a last time', { ...LISTED, createdBeforeSecs: 7 }],
    ['a term', { ...LISTED, terms: { all: ['cat'], none: [] } }],
    ['an excluded term', { ...LISTED, terms: { all: [], none: ['cat'] } }],
  ])('a cursor is rejected under %s', (_, listed) => {
    const cursor = cursors.write(LISTED, 5);

    expect(() => cursors.read(listed, cursor)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'cursor' }),
    );
    expect(cursors.write(listed, 5)).not.toBe(cursor);
  });

  test('a cursor with any changed letter is rejected', () => {
    const cursor = cursors.write(LISTED, 5);

    for (let index = 0; index < cursor.length; index += 1) {
      const letter = cursor[index] === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, index) + letter + cursor.slice(index + 1);
      expect(() => cursors.read(LISTED, changed)).toThrow('the request is invalid');
    }
  });

  test.each(['', 'AAAA', 'not a cursor', `${'A'.repeat(32)}`, 'é'.repeat(32), 'A'.repeat(1024)])(
    'the text %j is rejected as a cursor',
    (text) => {
      expect(() => cursors.read(LISTED, text)).toThrow('the request is invalid');
    },
  );

  test.each(['=', '\n', ' ', 'A', '%'])('a cursor followed by %j is rejected', (tail) => {
    const cursor = cursors.write(LISTED, 5);

    expect(() => cursors.read(LISTED, cursor + tail)).toThrow('the request is invalid');
  });

  test('a cursor of another secret is rejected', () => {
    const foreign = createJobCursors(Buffer.alloc(32, 8)).write(LISTED, 5);

    expect(() => cursors.read(LISTED, foreign)).toThrow('the request is invalid');
  });
});
