import { join } from 'node:path';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStateDatabase, type StateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../../lib/storage/sqlite/jobs/job-store.ts';
import { createQueueStore } from '../../../lib/storage/sqlite/jobs/queue-store.ts';
import { countJobs } from '../../support/job-rows.ts';
import { jobRequest } from '../../support/jobs.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationsOf } from '../measure/durations.ts';
import { p50AndP99 } from '../measure/statistics.ts';

const JOBS = 1_000_000;
const SCOPES = 50;
const CLAIMS = 200;
const GROUP = 64;

// Priorities from -100 to 100 in no order, with the same number of jobs for each priority and scope.
const FILL = `
  WITH RECURSIVE nth (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM nth WHERE n < @jobs)
  INSERT INTO job (
    id, scope, status, priority, created, updated, operation, provider, outputs, bytes, reserved, prompt
  )
  SELECT format('01890000-0000-7000-8000-%012x', n), format('%064d', n % @scopes), 'queued', n * 7919 % 201 - 100, n, n,
    'generate', 'sandbox', 1, 600, 20480, 'a fox'
  FROM nth`;
const FILL_CONTENT = `
  INSERT INTO job_content (seq, request_id, day, request) SELECT seq, id, 1, @request FROM job`;

/** The effect of a million queued jobs of 50 scopes and all priorities on claims and on the views of the queue. */
export const jobClaims: Bench = {
  name: 'job-claims',
  async run({ rounds, folder }) {
    const file = join(folder, 'bridge.sqlite');
    const database = openStateDatabase({ file, ids: createIds(() => 0) });
    await fill(database);
    const store = createJobStore(database);
    const queue = createQueueStore(database);
    const claim = () => store.claim(1);
    const commit = prepareCommit(database);
    const together = () => Promise.all(Array.from({ length: GROUP }, claim));
    const rows = [
      {
        ...row(
          'a claim, with its sync of the disk',
          await durationsOf(rounds * CLAIMS, claim),
          'reported',
        ),
        against: 'a commit of one row, with its sync',
        theirs: p50AndP99(await durationsOf(rounds * CLAIMS, commit)),
      },
      row(
        `a claim of ${GROUP} at once, its share`,
        (await durationsOf(rounds * 10, together)).map((durationMs) => durationMs / GROUP),
        'p50 < 1 ms',
      ),
      row('the view of the queue', await durationsOf(rounds * CLAIMS, queue.read), 'p99 < 1 ms'),
      row(
        'a page of its jobs',
        await durationsOf(rounds * CLAIMS, () => queue.list({ after: JOBS / 2, limit: 100 })),
        'p99 < 5 ms',
      ),
    ];
    await database.close();
    return rows;
  },
};

async function fill(database: StateDatabase): Promise<void> {
  const fillJobs = database.prepare(FILL);
  const fillContent = database.prepare(FILL_CONTENT);
  await database.write(() => {
    fillJobs.run({ jobs: JOBS, scopes: SCOPES });
    fillContent.run({ request: JSON.stringify(jobRequest()) });
    countJobs(database);
  });
}

/** The smallest durable write, which shows the share of the disk in a claim. */
function prepareCommit({ prepare, write }: StateDatabase): () => Promise<unknown> {
  const touch = prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('bench', zeroblob(1))");
  return () => write(() => touch.run());
}

function row(what: string, durations: readonly number[], budget: string): Row {
  return { what: `${what}, 1 M queued jobs of 50 scopes`, ours: p50AndP99(durations), budget };
}
