import { statSync } from 'node:fs';
import { join } from 'node:path';
import { JOB_STATUSES } from '../../../lib/contract/resources/job.ts';
import type { JobFilter, JobStore } from '../../../lib/jobs/job-store-port.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../../lib/storage/sqlite/jobs/job-store.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationsOf } from '../measure/durations.ts';
import { inMs, percentile } from '../measure/statistics.ts';
import {
  BUSY_PROVIDER,
  BUSY_SCOPE,
  QUIET_PROVIDER,
  QUIET_SCOPE,
  writeJobs,
} from './million-jobs.ts';

const JOBS = 1_000_000;
const PAGES = 100;
const LIMIT = 100;
const ACTIVE: JobFilter = { visibility: 'active' };

const FILTERS: readonly JobFilter[] = [undefined, ...JOB_STATUSES].flatMap((status) =>
  (['active', 'hidden', 'all'] as const).flatMap((visibility) =>
    [undefined, true, false].flatMap((favorite) =>
      [undefined, BUSY_PROVIDER, QUIET_PROVIDER].map((provider) => ({
        visibility,
        status,
        favorite,
        provider,
      })),
    ),
  ),
);

/** The effect of a million jobs on the pages of a list and on all other operations of the store. */
export const jobLists: Bench = {
  name: 'job-lists',
  async run({ rounds, folder }) {
    const file = join(folder, 'bridge.sqlite');
    writeJobs(file, JOBS);
    const openMs = performance.now();
    const database = openStateDatabase({ file, ids: createIds(() => 0) });
    const store = createJobStore(database);
    await store.totals();
    const startMs = performance.now() - openMs;
    const pages = rounds * PAGES;
    const list = (scope: string, filter: JobFilter, before?: () => number) =>
      durationsOf(pages, () =>
        store.list(scope, filter, { limit: LIMIT, ...(before ? { before: before() } : {}) }),
      );
    let position = 0;
    // Spread over the whole history, far from the rows read just before.
    const anywhere = () => {
      position = (position + 618_034) % JOBS;
      return position + LIMIT;
    };
    const rows: Row[] = [
      row(`opening the store, ${(statSync(file).size / 1e9).toFixed(1)} GB`, [startMs], '< 1.5 s'),
      row('first page', await list(BUSY_SCOPE, ACTIVE)),
      row('a page anywhere', await list(BUSY_SCOPE, ACTIVE, anywhere)),
      row('first page of a quiet scope', await list(QUIET_SCOPE, ACTIVE)),
    ];
    for (const provider of [BUSY_PROVIDER, QUIET_PROVIDER]) {
      const filter = { ...ACTIVE, provider };
      const which = provider === BUSY_PROVIDER ? 'the usual' : 'a rare';
      rows.push(row(`first page of ${which} provider`, await list(BUSY_SCOPE, filter)));
      rows.push(
        row(`a page of ${which} provider anywhere`, await list(BUSY_SCOPE, filter, anywhere)),
      );
    }
    const all: number[] = [];
    for (const filter of FILTERS) {
      for (const scope of [BUSY_SCOPE, QUIET_SCOPE]) {
        all.push(...(await durationsOf(5, () => store.list(scope, filter, { limit: LIMIT }))));
        const deep = () => store.list(scope, filter, { limit: LIMIT, before: anywhere() });
        all.push(...(await durationsOf(5, deep)));
      }
    }
    rows.push(row(`each of ${FILTERS.length} filters, first pages and pages anywhere`, all));
    rows.push(row('claim', await durationsOf(50, () => store.claim(0))));
    rows.push(row('totals', await durationsOf(pages, store.totals)));
    rows.push(row('pruning a batch of 50', await durationsOf(40, () => prune(store))));
    await database.close();
    return rows;
  },
};

function prune(store: JobStore) {
  return store.prune({
    completedBeforeSecs: 0,
    maxRetained: 0,
    maxRetainedBytes: 0,
    batch: 50,
  });
}

function row(what: string, durations: readonly number[], budget = 'p99 < 20 ms'): Row {
  const [p50, p99] = [percentile(durations, 0.5), percentile(durations, 0.99)];
  const worst = Math.max(...durations);
  return {
    what: `${what}, 1 M jobs`,
    ours: `p50 ${inMs(p50)}, p99 ${inMs(p99)}, worst ${inMs(worst)}`,
    budget,
  };
}
