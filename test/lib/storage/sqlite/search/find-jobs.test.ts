import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds } from '../../../../../lib/platform/ids.ts';
import type { Steps } from '../../../../../lib/platform/time-slices.ts';
import {
  openStateDatabase,
  type StateDatabase,
  stateDatabaseFile,
} from '../../../../../lib/storage/sqlite/database.ts';
import {
  findJobs,
  type SearchRequest,
} from '../../../../../lib/storage/sqlite/search/find-jobs.ts';
import {
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
import { insertJobs, type JobRow, jobRow } from '../../../../support/job-rows.ts';
import {
  listedFrom,
  matchesNaively,
  searchedPrompts,
  searchedStatuses,
  searchRequests,
} from '../../../../support/search-model.ts';

let directory: string;
let database: StateDatabase;
let jobs: JobReader;
let index: SearchIndex;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'find-jobs-'));
  const file = stateDatabaseFile(directory);
  database = openStateDatabase({ file, ids: createIds(() => 0) });
  jobs = openJobReader(file);
  index = openSearchIndex(join(directory, 'search.sqlite'));
});
afterEach(async () => {
  index.close();
  jobs.close();
  await database.close();
  await rm(directory, { recursive: true });
});

function run<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function sources() {
  return { jobs, index, unindexed: createUnindexedBlocks(jobs) };
}

function search(request: Pick<SearchRequest, 'filter'> & object) {
  return run(findJobs(sources(), { scope: 'anonymous', limit: 100, ...request }));
}

function find(term: string): readonly number[] {
  return search({ filter: { terms: { all: [term], none: [] }, visibility: 'active' } });
}

/** Returns the expected jobs, with the case folding of the engine. */
function naive(rows: readonly JobRow[], request: SearchRequest) {
  const { scope, filter, limit } = request;
  const matching = rows
    .filter((row) => row.scope === scope)
    .filter(({ prompt }) => matchesNaively(prompt, filter.terms))
    .filter(({ status }) => filter.status === undefined || status === filter.status)
    .filter(({ favorite }) => filter.favorite === undefined || favorite === filter.favorite)
    .filter(({ provider }) => filter.provider === undefined || provider === filter.provider)
    .filter(
      ({ hidden }) => filter.visibility === 'all' || hidden === (filter.visibility === 'hidden'),
    )
    .map(({ sequence }) => sequence);
  return listedFrom(matching, request).slice(0, limit + 1);
}

const someRows = fc
  .uniqueArray(
    // Over several blocks, with more jobs near their borders.
    fc.oneof(
      fc.integer({ min: 1, max: 20_000 }),
      fc.constantFrom(1, 4095, 4096, 8191, 8192, 8193, 16_384),
    ),
    { minLength: 1, maxLength: 60 },
  )
  .chain((sequences) =>
    fc.tuple(
      ...sequences.map((sequence) =>
        fc
          .record({
            scope: fc.constantFrom('anonymous', 'anonymous', 'other'),
            status: searchedStatuses,
            favorite: fc.boolean(),
            provider: fc.constantFrom('sandbox', 'agent-responses'),
            isHidden: fc.boolean(),
            prompt: searchedPrompts,
          })
          .map(({ isHidden, ...row }) => ({
            ...row,
            sequence,
            hidden: isHidden && row.status !== 'queued',
          })),
      ),
    ),
  );
const requests = searchRequests({
  scopes: ['anonymous', 'other'],
  providers: ['sandbox', 'agent-responses'],
  beyond: 20_001,
});

async function replaceJobs(rows: readonly JobRow[]): Promise<void> {
  await database.write(() => database.prepare('DELETE FROM job').run());
  for (const { number } of index.blocks()) index.removeBlock(number);
  await insertJobs(database, rows);
}

describe('findJobs', () => {
  test('a search finds the matching jobs, whichever part of the jobs is indexed', async () => {
    const property = fc.asyncProperty(
      someRows,
      fc.array(requests, { minLength: 1, maxLength: 10 }),
      fc.boolean(),
      async (rows, asked, isIndexed) => {
        await replaceJobs(rows);
        if (isIndexed) run(indexBlocks({ jobs, index }));

        const found = asked.map((request) => search(request));

        expect(found).toEqual(asked.map((request) => naive(rows, request)));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  test('a search misses no unchanged job while others are added, hidden and removed', async () => {
    const change = fc.record({
      at: fc.nat(),
      kind: fc.constantFrom('hide', 'remove', 'add', 'index' as const),
      steps: fc.nat(6),
    });
    const property = fc.asyncProperty(
      someRows,
      requests,
      fc.array(change, { maxLength: 12 }),
      async (rows, request, changes) => {
        await replaceJobs(rows);
        const now = new Map(rows.map((row) => [row.sequence, row]));
        const ever = [...rows];
        const changed = new Set<number>();
        const indexing = indexBlocks({ jobs, index });
        const searching = findJobs(sources(), request);
        let step = searching.next();

        for (const { at, kind, steps } of changes) {
          const row = rows[at % rows.length];
          if (row === undefined) continue;
          if (kind === 'index') for (let turn = 0; turn < steps; turn += 1) indexing.next();
          if (kind === 'hide' && row.status !== 'queued' && now.has(row.sequence)) {
            await database.write(() =>
              database.prepare('UPDATE job SET deleted = 1 WHERE seq = ?').run(row.sequence),
            );
            ever.push({ ...row, hidden: true });
            changed.add(row.sequence);
          }
          if (kind === 'remove' && now.delete(row.sequence)) {
            await database.write(() =>
              database.prepare('DELETE FROM job WHERE seq = ?').run(row.sequence),
            );
            changed.add(row.sequence);
          }
          if (kind === 'add') {
            const added = { ...row, sequence: 30_000 + ever.length };
            await insertJobs(database, [added]);
            ever.push(added);
            changed.add(added.sequence);
          }
          for (let turn = 0; turn < steps && step.done !== true; turn += 1) step = searching.next();
        }
        run(indexing);
        for (const { number } of index.blocks()) run(forgetRemoved({ jobs, index }, number));
        while (step.done !== true) step = searching.next();

        const found = step.value;
        const everRight = new Set(ever.flatMap((row) => naive([row], request)));
        const stayed = rows.filter(({ sequence }) => !changed.has(sequence));
        const last = found.length > request.limit ? found.at(-1) : undefined;
        const isReached = (sequence: number) =>
          last === undefined || ('after' in request ? sequence <= last : sequence >= last);
        const expected = naive(stayed, { ...request, limit: 1000 });
        expect(found.filter((sequence) => !everRight.has(sequence))).toEqual([]);
        expect(found.filter((sequence) => !changed.has(sequence))).toEqual(
          expected.filter(isReached),
        );
        expect(found).toEqual(listedFrom([...new Set(found)], request));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  test.each([
    ['a per cent sign', '100%', '100 per cent'],
    ['an underscore', 'a_b', 'axb'],
    ['a quoted phrase', '"red" OR', 'red'],
    ['an operator', 'NEAR(', 'near'],
    ['a column filter', 'prompt : fox', 'fox'],
    ['a prefix', 'fox*', 'foxes'],
    ['spaces at both ends', ' fox ', 'fox'],
    ['a combining accent', 'e\u0301', 'é'],
  ])('text with %s matches only itself', async (_, term, other) => {
    await insertJobs(database, [
      jobRow(1, `before${term}behind`),
      jobRow(2, `before${other}behind`),
      jobRow(9000, ''),
    ]);
    const unindexed = find(term);
    run(indexBlocks({ jobs, index }));

    expect([unindexed, find(term)]).toEqual([[1], [1]]);
  });

  test('a term of 256 code points is found in the longest prompt', async () => {
    const term = '😀x'.repeat(128);
    await insertJobs(database, [
      jobRow(1, `${'y'.repeat(10_000)}${term.toUpperCase()}`),
      jobRow(2, '😀x'.repeat(127)),
      jobRow(9000, ''),
    ]);
    run(indexBlocks({ jobs, index }));

    expect(find(term)).toEqual([1]);
  });

  test('every text must be in the prompt, in any order, and no excluded text', async () => {
    const prompts = ['a red fox in snow', 'Snow, and a FOX', 'a fox', 'snow', 'a dog'];
    await insertJobs(database, [
      ...prompts.map((prompt, nth) => jobRow(nth + 1, prompt)),
      jobRow(9000, ''),
    ]);
    const found = () =>
      [
        { all: ['fox', 'SNOW'], none: [] },
        { all: ['fox'], none: ['red f'] },
        { all: [], none: ['FOX'] },
        { all: ['s'], none: ['d'] },
        { all: ['fox'], none: ['fox'] },
      ].map((terms) => search({ filter: { terms, visibility: 'active' } }));
    const unindexed = found();
    run(indexBlocks({ jobs, index }));

    expect(unindexed).toEqual([[2, 1], [3, 2], [9000, 5, 4], [4], []]);
    expect(found()).toEqual(unindexed);
  });

  test('a search reads few jobs if the term is common and the other filter is rare', async () => {
    const rows = Array.from({ length: 9000 }, (_, nth) =>
      jobRow(nth + 1, 'a red fox', { favorite: nth % 3000 === 5 }),
    );
    await insertJobs(database, rows);
    run(indexBlocks({ jobs, index }));
    let looks = 0;
    const counted: JobReader = {
      ...jobs,
      foldedOf(scope, filter, asked) {
        looks += asked.sequences.length;
        return jobs.foldedOf(scope, filter, asked);
      },
    };
    const filter = {
      terms: { all: ['FOX'], none: [] },
      visibility: 'active' as const,
      favorite: true,
    };

    const found = run(
      findJobs({ ...sources(), jobs: counted }, { scope: 'anonymous', filter, limit: 9 }),
    );

    expect(found).toEqual([6006, 3006, 6]);
    expect(looks).toBeLessThan(50);
  });

  test('a search reads few jobs if the scope is small and has no job with the term', async () => {
    const rows = Array.from({ length: 9000 }, (_, nth) => {
      const isOurs = nth % 300 === 0;
      return jobRow(nth + 1, isOurs ? 'a blue fox' : 'a red fox', {
        scope: isOurs ? 'ours' : 'theirs',
      });
    });
    await insertJobs(database, rows);
    run(indexBlocks({ jobs, index }));
    let looks = 0;
    const counted: JobReader = {
      ...jobs,
      foldedOf(scope, filter, asked) {
        looks += asked.sequences.length;
        return jobs.foldedOf(scope, filter, asked);
      },
    };
    const filter = { terms: { all: ['red'], none: [] }, visibility: 'active' as const };

    const found = run(
      findJobs({ ...sources(), jobs: counted }, { scope: 'ours', filter, limit: 9 }),
    );

    expect(found).toEqual([]);
    expect(looks).toBeLessThan(100);
  });
});
