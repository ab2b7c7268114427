import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import Sqlite from 'better-sqlite3';
import type { JobSearchFilter, JobStore } from '../../../lib/jobs/job-store-port.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../../lib/storage/sqlite/jobs/job-store.ts';
import {
  createJobSearch,
  type IndexedSearch,
  reportingTo,
  searchIndexFile,
} from '../../../lib/storage/sqlite/search/job-search.ts';
import { newJob, WIDE } from '../../support/jobs.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationsOf } from '../measure/durations.ts';
import { residentMb } from '../measure/process-use.ts';
import { inMs, median, percentile, perSecond, withRange } from '../measure/statistics.ts';
import { BUSY_SCOPE, QUIET_SCOPE, writeJobs } from './million-jobs.ts';

const JOBS = 1_000_000;
const SEARCHES = 40;
const LIMIT = 20;
const CALLERS = 64;
const CREATES_A_ROUND = CALLERS * 200;
const LONGEST_BUILD_MS = 10 * 60 * 1000;

interface Case {
  readonly what: string;
  /** The term, or several, separated by `|`. */
  readonly term: string;
  readonly none?: readonly string[];
  readonly scope?: string;
  readonly filter?: Partial<JobSearchFilter>;
}

const CASES: readonly Case[] = [
  { what: 'a common term', term: 'Light' },
  { what: 'a rare term', term: 'in the manner of Bako' },
  { what: 'two letters', term: 'ox' },
  { what: 'two letters that are absent', term: 'zq' },
  { what: 'one letter', term: 'X' },
  { what: 'one letter that is absent', term: '☃' },
  { what: 'an absent term', term: 'quetzalcoatl' },
  { what: 'an absent term of common words', term: 'a red fox in a red fox by the window' },
  { what: 'three common words', term: 'fox|snow|light' },
  { what: 'a common and an absent word', term: 'light|quetzal' },
  { what: 'a common word without another', term: 'fox', none: ['light'] },
  { what: 'a common term in a rare scope', term: 'light', scope: QUIET_SCOPE },
  { what: 'a common term of favourites', term: 'light', filter: { favorite: true } },
  { what: 'a common term of cancelled jobs', term: 'light', filter: { status: 'cancelled' } },
  { what: 'a rare term of failed jobs', term: 'Bakomeru', filter: { status: 'failed' } },
];

/** First pages of searches among a million jobs, as the main thread receives them, and the cost of the index. */
export const jobSearch: Bench = {
  name: 'job-search',
  async run({ rounds, folder }) {
    const stateFile = join(folder, 'bridge.sqlite');
    writeJobs(stateFile, JOBS);
    const database = openStateDatabase({ file: stateFile, ids: createIds(() => 0) });
    const store = createJobStore(database);
    const files = { stateFile, indexFile: searchIndexFile(stateFile) };
    const beforeMb = residentMb(process.pid);
    const startMs = performance.now();
    const search = createJobSearch({ files, jobs: JOBS, onFailure: () => {} });
    const unindexed = await timed(5, search, { what: '', term: 'quetzalcoatl' });
    await untilIndexed(files.indexFile, Math.floor(JOBS / 4096));
    const buildMs = performance.now() - startMs;
    const rows: Row[] = [
      {
        ...row('index of all jobs, made in the background'),
        ours: `${(buildMs / 1000).toFixed(0)} s, ${(statSync(files.indexFile).size / 1e6).toFixed(0)} MB`,
        budget: 'reported',
      },
      { ...row('an absent term while the index is made', unindexed), budget: 'reported' },
    ];
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    for (const one of CASES) {
      await timed(5, search, one);
      rows.push(row(`search of ${one.what}`, await timed(rounds * SEARCHES, search, one)));
    }
    delay.disable();
    const worst = (delay.max / 1e6 - 1).toFixed(0);
    rows.push({
      ...row(
        'resident memory that searches and the index add; event-loop delay during the searches',
      ),
      ours: `${(residentMb(process.pid) - beforeMb).toFixed(0)} MB`,
      budget: 'loop < 20 ms',
      loop: `${(delay.percentile(99) / 1e6 - 1).toFixed(1)} / ${worst} ms`,
    });
    rows.push(await createsRow(rounds, store, search));
    await search.close();
    await database.close();
    return rows;
  },
};

/** Searches a number of times. Resolves with the durations in milliseconds. */
function timed(
  times: number,
  search: Pick<IndexedSearch, 'find'>,
  { term, none = [], scope = BUSY_SCOPE, filter }: Case,
): Promise<readonly number[]> {
  const terms = { all: term.split('|'), none };
  const wanted = { visibility: 'active' as const, ...filter, terms };
  const { signal } = new AbortController();
  return durationsOf(times, () => search.find(scope, wanted, { limit: LIMIT }, signal));
}

/** Durable creates while the thread indexes the new jobs, against the same creates without the index. */
async function createsRow(rounds: number, store: JobStore, search: IndexedSearch): Promise<Row> {
  const indexed = reportingTo(search, store);
  const rates = { fed: [] as number[], alone: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    for (const side of round % 2 === 0
      ? (['fed', 'alone'] as const)
      : (['alone', 'fed'] as const)) {
      const startMs = performance.now();
      await create(side === 'fed' ? indexed : store);
      const rate = CREATES_A_ROUND / ((performance.now() - startMs) / 1000);
      // The first round is a warm-up.
      if (round >= 0) rates[side].push(rate);
    }
  }
  return {
    ...row(`durable job creates, ${CALLERS} callers, and the index fed`),
    ours: perSecond(median(rates.fed)),
    against: 'the same, and no index',
    theirs: perSecond(median(rates.alone)),
    ratio: withRange(rates.fed.map((rate, round) => rate / (rates.alone[round] ?? Number.NaN))),
    budget: 'about 1',
  };
}

async function create(store: JobStore): Promise<void> {
  let left = CREATES_A_ROUND;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await store.submit(newJob(), WIDE);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/** Resolves when the index has this number of blocks, each of 4096 jobs. */
export async function untilIndexed(indexFile: string, blocks: number): Promise<void> {
  const connection = new Sqlite(indexFile, { readonly: true });
  const count = connection.prepare('SELECT count(*) FROM block').pluck();
  const endMs = performance.now() + LONGEST_BUILD_MS;
  while (Number(count.get()) < blocks) {
    if (performance.now() > endMs) throw new Error('the index is not made');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  connection.close();
}

function row(what: string, durations: readonly number[] = []): Row {
  const [p50, p99] = [percentile(durations, 0.5), percentile(durations, 0.99)];
  return {
    what: `${what}, 1 M jobs`,
    ours: `p50 ${inMs(p50)}, p99 ${inMs(p99)}, worst ${inMs(Math.max(...durations))}`,
    budget: 'p99 < 20 ms',
  };
}
