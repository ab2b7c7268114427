import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JobStore } from '../../../../../lib/jobs/job-store-port.ts';
import { createIds } from '../../../../../lib/platform/ids.ts';
import {
  openStateDatabase,
  type StateDatabase,
  stateDatabaseFile,
} from '../../../../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../../../../lib/storage/sqlite/jobs/job-store.ts';
import {
  createJobSearch,
  type IndexedSearch,
  reportingTo,
  searchIndexFile,
} from '../../../../../lib/storage/sqlite/search/job-search.ts';
import { describeJobSearch } from '../../../../contracts/job-search.ts';
import { insertJobs, jobRow } from '../../../../support/job-rows.ts';

const never = () => new AbortController().signal;
const FOX = { terms: { all: ['FOX'], none: [] }, visibility: 'active' } as const;

let directory: string;
let stateFile: string;
let indexFile: string;
let database: StateDatabase;
let search: IndexedSearch;
let failures: unknown[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'job-search-'));
  stateFile = stateDatabaseFile(directory);
  indexFile = searchIndexFile(stateFile);
  failures = [];
  database = openStateDatabase({ file: stateFile, ids: createIds(() => 0) });
  search = openSearch();
});
afterEach(async () => {
  await search.close();
  await database.close();
  await rm(directory, { recursive: true });
});

function openSearch(jobs = 0, file = stateFile): IndexedSearch {
  const onFailure = (error: unknown) => failures.push(error);
  return createJobSearch({ files: { stateFile: file, indexFile }, jobs, onFailure });
}

function foxes(limit = 10) {
  return search.find('anonymous', FOX, { limit }, never());
}

/** Returns the numbers of the blocks in the index file. */
function indexedBlocks(): number[] {
  const connection = new Sqlite(indexFile, { readonly: true, fileMustExist: true });
  try {
    return connection.prepare('SELECT number FROM block ORDER BY number').pluck().all() as number[];
  } finally {
    connection.close();
  }
}

function untilIndexed(...blocks: number[]): Promise<void> {
  return vi.waitFor(() => expect(indexedBlocks()).toEqual(blocks), { timeout: 20_000 });
}

/** Inserts enough jobs in blocks without an index for a search of several time slices. */
async function addManyHens(): Promise<void> {
  const hens = Array.from({ length: 30_000 }, (_, nth) => jobRow(nth + 1, 'a hen'));
  await insertJobs(database, hens);
}

describeJobSearch('SQLite', async () => {
  return { search, jobs: reportingTo(search, createJobStore(database)), close: async () => {} };
});

describe('reportingTo', () => {
  test('a new job and a removed job are reported, and a repeated request is not', async () => {
    const reports: unknown[] = [];
    const report = (found: unknown) => void reports.push(found);
    let repeated = false;
    const jobs = reportingTo({ ...search, added: report, removed: report }, {
      submit: async () => ({ repeated }),
      prune: async () => ({ removed: repeated ? [] : [7, 9] }),
    } as unknown as JobStore);

    await jobs.submit({} as never, {} as never);
    await jobs.prune({} as never);
    repeated = true;
    await jobs.submit({} as never, {} as never);
    await jobs.prune({} as never);

    expect(reports).toEqual([1, [7, 9]]);
  });
});

describe('createJobSearch', () => {
  test('a search finds the latest commits, in pages', async () => {
    await insertJobs(
      database,
      [1, 2, 3].map((sequence) => jobRow(sequence, `fox ${sequence}`)),
    );
    const first = await foxes(2);
    await insertJobs(database, [jobRow(4, 'Fox')]);

    const [again, second] = [
      await foxes(2),
      await search.find('anonymous', FOX, { limit: 2, before: 2 }, never()),
    ];

    expect(first).toEqual({ sequences: [3, 2], more: true });
    expect(again).toEqual({ sequences: [4, 3], more: true });
    expect(second).toEqual({ sequences: [1], more: false });
  });

  test('no thread starts before there is a block to index or a search to run', async () => {
    search.added(4095);
    const before = await readdir(directory);
    await foxes();

    expect(before.filter((name) => name.startsWith('search'))).toEqual([]);
    expect(await readdir(directory)).toContain('search.sqlite');
  });

  test('existing and added jobs are indexed without a search', async () => {
    await insertJobs(database, [jobRow(1, 'a fox'), jobRow(5000, 'a fox')]);
    await search.close();
    search = openSearch(5000);
    await untilIndexed(0);

    await insertJobs(database, [jobRow(9000, 'a fox')]);
    search.added(4000);
    await untilIndexed(0, 1);

    expect(await foxes()).toEqual({ sequences: [9000, 5000, 1], more: false });
  });

  test('blocks of removed jobs are removed, even if the search did not run', async () => {
    const rows = [1, 5000, 9000, 13_000].map((sequence) => jobRow(sequence, 'a fox'));
    await insertJobs(database, rows);
    search.added(13_000);
    await untilIndexed(0, 1, 2);
    const remove = (sequence: number) =>
      database.write(() => database.prepare('DELETE FROM job WHERE seq = ?').run(sequence));

    await remove(1);
    search.removed([1]);
    await untilIndexed(1, 2);
    await search.close();
    await remove(5000);
    search = openSearch(13_000);
    await untilIndexed(2);

    expect(await foxes()).toEqual({ sequences: [13_000, 9000], more: false });
  });

  test('a closed search leaves only the index file, and rejects searches', async () => {
    await insertJobs(database, [jobRow(1, 'a fox')]);
    await foxes();

    await search.close();
    await database.close();

    expect(await readdir(directory)).toEqual(['bridge.sqlite', 'search.sqlite']);
    await expect(foxes()).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('a search whose client disconnects rejects at once with the reason, and delays no other search', async () => {
    await addManyHens();
    const client = new AbortController();
    const left = search.find('anonymous', FOX, { limit: 1 }, client.signal);
    const reason = new Error('disconnected');

    client.abort(reason);

    await expect(left).rejects.toBe(reason);
    const hens = { ...FOX, terms: { all: ['hen'], none: [] } };
    expect(await search.find('anonymous', hens, { limit: 1 }, never())).toMatchObject({
      more: true,
    });
  });

  test('a signal that has already aborted starts no search', async () => {
    const reason = new Error('disconnected');

    const outcome = search.find('anonymous', FOX, { limit: 1 }, AbortSignal.abort(reason));

    await expect(outcome).rejects.toBe(reason);
    expect(await readdir(directory)).not.toContain('search.sqlite');
  });

  test('searches beyond the limit are rejected, and the others run', async () => {
    await insertJobs(database, [jobRow(1, 'a fox')]);

    const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => foxes()));

    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(6);
    expect(refused[0]).toMatchObject({ reason: { code: 'overloaded' } });
  });

  test('closing rejects the waiting searches', async () => {
    await addManyHens();
    const waiting = foxes();

    await Promise.all([
      expect(waiting).rejects.toMatchObject({ code: 'overloaded' }),
      search.close(),
    ]);
  });

  test('a failed thread rejects its searches, and the next search starts another thread', async () => {
    await insertJobs(database, [jobRow(1, 'a fox')]);
    await search.close();
    const elsewhere = join(directory, 'later.sqlite');
    search = openSearch(0, elsewhere);

    const failure = foxes();

    await expect(failure).rejects.toMatchObject({ code: 'overloaded' });
    expect(failures).toHaveLength(1);
    await database.close();
    await copyFile(stateFile, elsewhere);
    expect(await foxes()).toEqual({ sequences: [1], more: false });
  });

  test('an index that another program has damaged is built again', async () => {
    await insertJobs(database, [jobRow(1, 'a fox'), jobRow(5000, 'a fox')]);
    search.added(5000);
    await untilIndexed(0);
    const connection = new Sqlite(indexFile);
    connection.exec("UPDATE posting SET positions = x'ff'; UPDATE block SET jobs = 77");
    connection.close();

    const found = await foxes();

    expect(found).toEqual({ sequences: [5000, 1], more: false });
    const counts = () => {
      const index = new Sqlite(indexFile, { readonly: true });
      const found = index.prepare('SELECT jobs FROM block').pluck().all();
      index.close();
      return found;
    };
    await expect.poll(counts).toEqual([1]);
  });

  test('a failed update of the index is reported, and searches still find every job', async () => {
    await insertJobs(database, [jobRow(1, 'a fox')]);
    await foxes();
    const connection = new Sqlite(indexFile);
    connection.exec(`
      CREATE TRIGGER refuse BEFORE INSERT ON block BEGIN SELECT RAISE(FAIL, 'refused'); END`);
    connection.close();

    await insertJobs(database, [jobRow(5000, 'a fox')]);
    search.added(5000);
    await expect.poll(() => failures).toHaveLength(1);

    const code = 'SQLITE_CONSTRAINT_TRIGGER';
    expect(failures).toMatchObject([{ name: 'SqliteError', code }]);
    expect(await foxes()).toEqual({ sequences: [5000, 1], more: false });
  });

  test('an index that cannot be created is reported once for any number of searches', async () => {
    await insertJobs(database, [jobRow(1, 'a fox')]);
    await mkdir(indexFile);

    const first = await foxes();
    await expect.poll(() => failures).toHaveLength(1);
    const second = await foxes();
    await search.close();

    expect([first, second]).toEqual(Array(2).fill({ sequences: [1], more: false }));
    expect(failures).toHaveLength(1);
  });

  test('a damaged state database is reported as damaged', async () => {
    await insertJobs(database, [jobRow(1, 'a fox')]);
    await foxes();
    await database.write(() => {
      database.prepare('PRAGMA writable_schema = ON').run();
      database.prepare('ALTER TABLE job RENAME COLUMN prompt TO words').run();
    });

    await expect(foxes()).rejects.toMatchObject({ code: 'internal' });
  });
});
