import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredInput } from '../../../lib/contract/request/image-input.ts';
import { createJobFamilies } from '../../../lib/jobs/job-family.ts';
import type { JobParent, JobRecord, JobStore } from '../../../lib/jobs/job-store-port.ts';
import { CREATED_SECS, editOf, newJob, WIDE } from '../../support/jobs.ts';
import { type JobRig, openJobRig, SCOPE } from './job-rig.ts';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

const parentOf = (jobId: string): JobParent => ({
  ...{ input: 0, artifactId: 'a'.repeat(32), jobId, image: 0 },
  ...{ name: 'fox.png', width: 640, height: 480, createdSecs: CREATED_SECS },
});

async function submitted(...parents: readonly string[]): Promise<JobRecord> {
  const facts = parents.map((id, input) => ({ ...parentOf(id), input }));
  return (await rig.store.submit(newJob({ scope: SCOPE, parents: facts }), WIDE)).job;
}

const family = (id: string) => rig.jobFamilies.family(SCOPE, id);

describe('createJobFamilies', () => {
  test('a family has ancestors, siblings and descendants, nearest first', async () => {
    const source = await submitted();
    const left = await submitted(source.id);
    const right = await submitted(source.id);
    const child = await submitted(left.id);
    await submitted();

    const { items, total } = await family(child.id);

    expect(items.map(({ id, distance }) => [id, distance])).toEqual([
      [child.id, 0],
      [left.id, 1],
      [source.id, 2],
      [right.id, 3],
    ]);
    expect(items[0]?.derived_from).toMatchObject([{ job_id: left.id, image: 0, name: 'fox.png' }]);
    expect(total).toEqual({ count: 4, at_least: false });
  });

  test('a job without relatives is its whole family', async () => {
    const job = await submitted();

    const { items, total } = await family(job.id);

    expect(items).toMatchObject([{ id: job.id, distance: 0 }]);
    expect(items[0]).not.toHaveProperty('derived_from');
    expect(total).toEqual({ count: 1, at_least: false });
  });

  test('a removed parent keeps its name, size and time, and is not an item', async () => {
    const job = await submitted('01890000-0000-7000-8000-ffffffffffff');

    const { items, total } = await family(job.id);

    const facts = { name: 'fox.png', width: 640, height: 480, created: CREATED_SECS };
    expect(items).toMatchObject([{ id: job.id, derived_from: [facts] }]);
    expect(total).toEqual({ count: 1, at_least: false });
  });

  test('an item has the mask of its job, with its index, hash and size', async () => {
    const [sha256, earlier] = ['b'.repeat(64), 'c'.repeat(64)];
    const { images } = editOf(['d'.repeat(64), 'e'.repeat(64)]);
    const stored = { type: 'stored', media_type: 'image/png', bytes: 9 } as const;
    const masked = async (mask: StoredInput, ...parents: readonly JobParent[]) => {
      const request = { ...editOf([]), images, mask };
      return (await rig.store.submit(newJob({ scope: SCOPE, request, parents }), WIDE)).job;
    };
    const source = await masked({ ...stored, sha256, width: 640, height: 480 });
    const unsized = await masked({ ...stored, sha256: earlier }, parentOf(source.id));
    const plain = await submitted(unsized.id);

    const { items } = await family(plain.id);

    expect(items.map(({ id, mask }) => [id, mask])).toEqual([
      [plain.id, undefined],
      [unsized.id, { input: 2, sha256: earlier }],
      [source.id, { input: 2, sha256, width: 640, height: 480 }],
    ]);
  });

  test('a cycle in the database ends', async () => {
    const ids = [newJob().id, newJob().id];
    for (const [nth, id] of ids.entries()) {
      const parents = [parentOf(ids[1 - nth] ?? '')];
      await rig.store.submit(newJob({ id, scope: SCOPE, parents }), WIDE);
    }

    const { items, total } = await family(ids[0] ?? '');

    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(total).toEqual({ count: 2, at_least: false });
  });

  test('a family above the limit has its 60 nearest jobs and a lower bound of their number', async () => {
    const asked: number[] = [];
    const { families, ids } = withFamily(5000, (listed) => asked.push(listed));

    const { items, total } = await families.family(SCOPE, ids(0));

    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, nth) => ids(nth)));
    expect(total).toEqual({ count: 1000, at_least: true });
    expect(Math.max(...asked)).toBeLessThanOrEqual(1002);
  });

  test('a chain longer than 64 steps is cut', async () => {
    let last = await submitted();
    for (let nth = 0; nth < 70; nth += 1) last = await submitted(last.id);

    const { items, total } = await family(last.id);

    expect(items).toHaveLength(60);
    expect(items.at(-1)).toMatchObject({ distance: 59 });
    expect(total).toEqual({ count: 65, at_least: true });
  });

  test('the pages of derived jobs follow each other', async () => {
    const source = await submitted();
    const children = [await submitted(source.id), await submitted(source.id)];
    const derived = (cursor?: string, id = source.id) =>
      rig.jobFamilies.derived(SCOPE, id, { limit: 1, ...(cursor && { cursor }) });

    const first = await derived();
    const second = await derived(first.next_cursor);

    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual([
      children[1]?.id,
      children[0]?.id,
    ]);
    expect(first.next_cursor).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(second).not.toHaveProperty('next_cursor');
    await expect(derived(first.next_cursor, children[0]?.id)).rejects.toMatchObject({
      ...{ code: 'invalid_request', param: 'cursor' },
    });
  });

  test.each(['family', 'derived'] as const)('an unknown job has no %s', async (method) => {
    const { id } = await submitted();

    const found = rig.jobFamilies[method]('other', id, { limit: 1 });

    await expect(found).rejects.toMatchObject({ code: 'not_found' });
  });
});

/** Returns the families of a store in which one job has `size` children. */
function withFamily(size: number, onList: (listed: number) => void) {
  const ids = (nth: number) => newId(nth);
  const store: Pick<JobStore, 'find' | 'listDerived' | 'listKin' | 'listMasks' | 'summaries'> = {
    ...rig.store,
    find: async () => ({}) as JobRecord,
    listKin: async (_, asked, limit) => {
      onList(asked.length);
      const isSource = asked.includes(ids(0));
      return {
        jobs: asked.map((id) => ({ id, sequence: numberOf(id) + 1, parents: [] })),
        children: isSource
          ? Array.from({ length: Math.min(limit, size) }, (_each, nth) => ids(nth + 1))
          : [],
      };
    },
    listMasks: async () => [],
    summaries: async (_, sequences) =>
      sequences.map((sequence) => {
        const { request, parents, reservedBytes, ...job } = newJob({ id: ids(sequence - 1) });
        return {
          ...{ ...job, sequence, status: 'succeeded', updatedSecs: 1, cancelRequested: false },
          ...{ favorite: false, operation: 'generate', prompt: 'a fox', outputs: 1, inputs: 0 },
          artifacts: [],
        };
      }),
  };
  const families = createJobFamilies({ ...rig, store, secret: new Uint8Array(32), progress });
  return { families, ids };
}

const progress = { find: async () => new Map() };

function newId(nth: number): string {
  return `01890000-0000-7000-8000-${nth.toString(16).padStart(12, '0')}`;
}

function numberOf(id: string): number {
  return Number.parseInt(id.slice(-12), 16);
}
