import { join } from 'node:path';
import type { JobFilter } from '../../../lib/jobs/job-store-port.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { createJobHistory } from '../../../lib/storage/sqlite/jobs/job-history.ts';
import { createJobStore } from '../../../lib/storage/sqlite/jobs/job-store.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationsOf } from '../measure/durations.ts';
import { inMs, percentile } from '../measure/statistics.ts';
import { BUSY_SCOPE, FIRST_CREATED_SECS, writeJobs } from './million-jobs.ts';

const ACTIVE: JobFilter = { visibility: 'active' };
const LIMIT = 60;
const MAX_PERIODS = 35_136;
const NEWEST_PROMPTS = 5000;

/** Returns filters by facts. The last three match no job, so that every job is compared. */
const filtersOf = (
  jobs: number,
): readonly (readonly [what: string, filter: Partial<JobFilter>])[] => [
  ['the usual model', { model: 'image-model' }],
  ['the usual ratio', { size: { kind: 'ratio', width: 4, height: 3 } }],
  ['the oldest tenth', { createdBeforeSecs: FIRST_CREATED_SECS + jobs / 10 }],
  ['an unknown model', { model: 'unknown' }],
  ['another operation', { operation: 'edit' }],
  ['an unused ratio', { size: { kind: 'ratio', width: 16, height: 9 } }],
];

/** Days, labels, prompts and filters by facts among many jobs. */
export const jobHistory: Bench = {
  name: 'job-history',
  async run({ rounds, folder }) {
    const rows: Row[] = [];
    for (const [jobs, name] of [
      [50_000, '50,000'],
      [1_000_000, '1 M'],
    ] as const) {
      rows.push(...(await measure(join(folder, `${jobs}.sqlite`), jobs, name, rounds)));
    }
    return rows;
  },
};

async function measure(
  file: string,
  jobs: number,
  name: string,
  rounds: number,
): Promise<readonly Row[]> {
  writeJobs(file, jobs);
  const database = openStateDatabase({ file, ids: createIds(() => 0) });
  const [store, history] = [createJobStore(database), createJobHistory(database)];
  const times = rounds * 3;
  const row = async (what: string, call: () => Promise<unknown>): Promise<Row> => {
    const durations = await durationsOf(times, call);
    return {
      what: `${what}, ${name} jobs`,
      ours: `p50 ${inMs(percentile(durations, 0.5))}, p95 ${inMs(percentile(durations, 0.95))}`,
      budget: jobs === 50_000 ? 'p95 < 150 ms' : 'reported',
    };
  };
  const rows: Row[] = [];
  const all = { filter: ACTIVE };
  rows.push(await row('days', () => history.countPeriods(BUSY_SCOPE, all, MAX_PERIODS)));
  const page = { newest: NEWEST_PROMPTS, limit: 20 };
  rows.push(await row('prompts', () => history.listPrompts(BUSY_SCOPE, all, page)));
  rows.push(await row('labels', () => history.countLabels(BUSY_SCOPE, 100)));
  for (const [what, facts] of filtersOf(jobs)) {
    const filter = { ...ACTIVE, ...facts };
    rows.push(
      await row(`first page and total of ${what}`, async () => {
        await store.list(BUSY_SCOPE, filter, { limit: LIMIT });
        await store.count(BUSY_SCOPE, filter, 10_001);
      }),
    );
  }
  await database.close();
  return rows;
}
