import { copyFile, mkdtemp, open, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds } from '../../../../../lib/platform/ids.ts';
import type { Steps } from '../../../../../lib/platform/time-slices.ts';
import {
  openStateDatabase,
  type StateDatabase,
  stateDatabaseFile,
} from '../../../../../lib/storage/sqlite/database.ts';
import { findJobs } from '../../../../../lib/storage/sqlite/search/find-jobs.ts';
import {
  confirmIndex,
  forgetRemoved,
  indexBlocks,
} from '../../../../../lib/storage/sqlite/search/index-blocks.ts';
import {
  type JobReader,
  openJobReader,
} from '../../../../../lib/storage/sqlite/search/job-reader.ts';
import {
  openSearchIndex,
  type SearchIndex,
} from '../../../../../lib/storage/sqlite/search/search-index.ts';
import { createUnindexedBlocks } from '../../../../../lib/storage/sqlite/search/unindexed-blocks.ts';
import { insertJobs, jobRow } from '../../../../support/job-rows.ts';

let directory: string;
let file: string;
let indexFile: string;
let database: StateDatabase;
let jobs: JobReader;
let index: SearchIndex;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'index-blocks-'));
  file = stateDatabaseFile(directory);
  indexFile = join(directory, 'search.sqlite');
  openAll();
});
afterEach(async () => {
  await closeAll();
  await rm(directory, { recursive: true });
});

function openAll(): void {
  database = openStateDatabase({ file, ids: createIds(() => 0) });
  jobs = openJobReader(file);
  index = openSearchIndex(indexFile);
}

async function closeAll(): Promise<void> {
  index.close();
  jobs.close();
  await database.close();
}

/** Restarts as a process does: the index is confirmed, and no new block is indexed. */
async function restart(whileClosed: () => Promise<unknown> = async () => {}): Promise<void> {
  await closeAll();
  await whileClosed();
  openAll();
  confirmIndex({ jobs, index });
}

function run<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function blockNumbers(): number[] {
  return index.blocks().map(({ number }) => number);
}

function find(term: string): readonly number[] {
  const sources = { jobs, index, unindexed: createUnindexedBlocks(jobs) };
  const filter = { terms: { all: [term], none: [] }, visibility: 'active' as const };
  return run(findJobs(sources, { scope: 'anonymous', filter, limit: 100 }));
}

async function remove(first: number, last: number): Promise<void> {
  const sql = 'DELETE FROM job WHERE seq BETWEEN ? AND ?';
  await database.write(() => database.prepare(sql).run(first, last));
}

/** Blocks 0 to 2 are complete, with a fox in each, and block 3 is not. */
async function addFoxes(): Promise<void> {
  await insertJobs(database, [
    ...[jobRow(1, 'a fox'), jobRow(2, 'a hen'), jobRow(4095, 'an owl')],
    ...[jobRow(4096, 'a fox'), jobRow(5000, 'a hen'), jobRow(8000, 'an owl')],
    ...[jobRow(9000, 'a fox'), jobRow(12_287, 'an owl')],
    ...[jobRow(12_288, 'a fox')],
  ]);
  run(indexBlocks({ jobs, index }));
}

const FOXES = [12_288, 9000, 4096, 1];

describe('indexBlocks', () => {
  test('every complete block is indexed, and the newest block is not', async () => {
    await addFoxes();

    expect(blockNumbers()).toEqual([2, 1, 0]);
    expect(find('FOX')).toEqual(FOXES);
  });

  test('indexing continues after a stop in the middle of a block', async () => {
    await addFoxes();
    await insertJobs(database, [jobRow(20_000, 'a fox')]);
    const steps = indexBlocks({ jobs, index });
    for (let step = 0; step < 20; step += 1) steps.next();
    const midway = find('fox');

    await restart();
    const before = blockNumbers();
    run(indexBlocks({ jobs, index }));

    expect(midway).toEqual([20_000, ...FOXES]);
    expect(before).toEqual([2, 1, 0]);
    expect(blockNumbers()).toEqual([3, 2, 1, 0]);
    expect(find('fox')).toEqual([20_000, ...FOXES]);
  });

  test('no prompt of an indexed block is read', async () => {
    await addFoxes();
    await database.write(() => database.prepare("UPDATE job SET prompt = 'a lynx'").run());

    expect(find('lynx')).toEqual([12_288]);
  });
});

describe('confirmIndex', () => {
  test('an index that belongs to the database is kept', async () => {
    await addFoxes();

    await restart();

    expect(blockNumbers()).toEqual([2, 1, 0]);
  });

  test('all blocks but the newest are kept if the jobs that would confirm that block were removed', async () => {
    await addFoxes();
    await remove(9001, 12_287);

    await restart();

    expect(blockNumbers()).toEqual([1, 0]);
    expect(find('fox')).toEqual(FOXES);
  });

  test('blocks that an older copy does not have are removed', async () => {
    await insertJobs(database, [jobRow(1, 'a fox'), jobRow(4095, 'an owl'), jobRow(4096, 'a hen')]);
    run(indexBlocks({ jobs, index }));
    await restart(() => copyFile(file, join(directory, 'copy')));
    await insertJobs(database, [jobRow(8191, 'a lynx'), jobRow(8192, 'an owl')]);
    run(indexBlocks({ jobs, index }));
    const before = blockNumbers();

    await restart(() => copyFile(join(directory, 'copy'), file));
    const after = blockNumbers();
    await insertJobs(database, [jobRow(8191, 'a fox'), jobRow(8192, 'a fox')]);

    expect([before, after]).toEqual([[1, 0], [0]]);
    expect(find('fox')).toEqual([8192, 8191, 1]);
    expect(find('lynx')).toEqual([]);
  });

  test('all blocks of another database are removed', async () => {
    await addFoxes();

    await restart(() => rm(file));
    await insertJobs(database, [
      jobRow(1, 'a hen'),
      jobRow(4095, 'a fox'),
      jobRow(12_287, 'a fox'),
    ]);

    expect(blockNumbers()).toEqual([]);
    expect(find('fox')).toEqual([12_287, 4095]);
  });
});

describe('forgetRemoved', () => {
  test('a block without jobs is removed from the index', async () => {
    await addFoxes();
    await remove(4096, 8191);

    run(forgetRemoved({ jobs, index }, 1));

    expect(blockNumbers()).toEqual([2, 0]);
    expect(find('fox')).toEqual([12_288, 9000, 1]);
  });

  test('a block that has lost half of its jobs is indexed again', async () => {
    await addFoxes();
    const before = (await stat(indexFile)).size;
    await remove(1, 2);

    run(forgetRemoved({ jobs, index }, 0));

    expect(index.blocks().at(-1)).toMatchObject({ number: 0, jobs: 1, lastSequence: 4095 });
    expect(postingsOf(0)).toBe(15);
    expect(before).toBeGreaterThan(0);
    expect(find('fox')).toEqual([12_288, 9000, 4096]);
  });

  test('a block that has lost fewer jobs, or is not indexed, is not changed', async () => {
    await addFoxes();
    await remove(2, 2);
    const before = index.blocks();

    run(forgetRemoved({ jobs, index }, 0));
    run(forgetRemoved({ jobs, index }, 3));

    expect(index.blocks()).toEqual(before);
  });
});

function postingsOf(block: number): number {
  const connection = new Sqlite(indexFile, { readonly: true });
  const count = connection
    .prepare('SELECT count(*) FROM posting WHERE slot / 2097152 = ?')
    .pluck()
    .get(block);
  connection.close();
  return Number(count);
}

describe('openSearchIndex', () => {
  test('only its owner may read the index file', async () => {
    await addFoxes();

    const rights = await Promise.all(
      ['', '-wal', '-shm'].map(async (end) => (await stat(`${indexFile}${end}`)).mode & 0o777),
    );

    expect(rights).toEqual([0o600, 0o600, 0o600]);
  });

  test.each([
    ['is missing', () => rm(indexFile)],
    ['is empty', () => truncate(indexFile)],
    [
      'is text',
      () => writeFile(indexFile, 'no database at all, whatever its name may say. '.repeat(200)),
    ],
    ['is cut short', () => truncate(indexFile, 5000)],
    ['is of another format', () => setFormat(7)],
    ['has no tables', () => alter('DROP TABLE posting')],
    ['has tables of another program', () => alter('DROP TABLE block; CREATE TABLE block (number)')],
  ])('an index file that %s is replaced', async (_, spoil) => {
    await addFoxes();

    await restart(spoil);
    const before = find('fox');
    run(indexBlocks({ jobs, index }));

    expect(before).toEqual(FOXES);
    expect(blockNumbers()).toEqual([2, 1, 0]);
    expect(find('fox')).toEqual(FOXES);
  });

  test('searches work in spite of a damaged page, and the index is built again', async () => {
    const rows = Array.from({ length: 300 }, (_, nth) =>
      jobRow(nth + 1, `fox ${nth * 7919} ${nth}`),
    );
    await insertJobs(database, [...rows, jobRow(9000, 'a hen')]);
    run(indexBlocks({ jobs, index }));

    await restart(() => overwriteFrom(3 * 4096));
    const found = find('fox').length;
    const isGivenUp = !index.isOpen();
    index.reopen();
    run(indexBlocks({ jobs, index }));

    expect(found).toBe(101);
    expect(isGivenUp).toBe(true);
    expect(blockNumbers()).toEqual([0]);
    expect(find('fox')).toHaveLength(101);
  });

  test('searches work in spite of an invalid posting, and the index is removed', async () => {
    await addFoxes();

    await restart(() => alter("UPDATE posting SET positions = x'ffffff'"));
    const found = find('fox');

    expect(found).toEqual(FOXES);
    expect(index.isOpen()).toBe(false);
  });

  test('searches find every job without an index file', async () => {
    index.close();
    index = openSearchIndex(join(directory, 'no-such-folder', 'search.sqlite'));
    await addFoxes();

    expect(index.isOpen()).toBe(false);
    expect(find('fox')).toEqual(FOXES);
  });

  function alter(sql: string): Promise<void> {
    const connection = new Sqlite(indexFile);
    connection.exec(sql);
    connection.close();
    return Promise.resolve();
  }

  function setFormat(version: number): Promise<void> {
    return alter(`PRAGMA user_version = ${version}`);
  }

  async function overwriteFrom(offset: number): Promise<void> {
    const { size } = await stat(indexFile);
    const handle = await open(indexFile, 'r+');
    await handle.write(Buffer.alloc(size - offset, 0xa5), 0, size - offset, offset);
    await handle.close();
  }
});
