import { join } from 'node:path';
import type { JobStore, NewJob } from '../../../lib/jobs/job-store-port.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../../lib/storage/sqlite/jobs/job-store.ts';
import { newJob, WIDE } from '../../support/jobs.ts';
import type { Bench } from '../measure/bench.ts';
import { median, perSecond, withRange } from '../measure/statistics.ts';

export const CALLERS = 64;
export const JOBS_A_ROUND = CALLERS * 100;

/**
 * Jobs created by 64 callers, each after the reply to its last job, against the driver alone: the same rows with the same
 * durability, 64 in a transaction, which is the greatest possible number.
 */
export const jobCreates: Bench = {
  name: 'job-creates',
  async run({ rounds, folder }) {
    const ids = createIds(() => 0);
    const database = openStateDatabase({ file: join(folder, 'ours.sqlite'), ids });
    const other = openStateDatabase({ file: join(folder, 'theirs.sqlite'), ids });
    const store = createJobStore(database);
    const createAlone = prepareAlone(other);
    const sides = {
      ours: (jobs: readonly NewJob[]) => createTogether(jobs, store.submit),
      theirs: async (jobs: readonly NewJob[]) => createAlone(jobs),
    };
    const rates = { ours: [] as number[], theirs: [] as number[] };
    for (let round = -1; round < rounds; round += 1) {
      const order = round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
      for (const side of order) {
        const jobs = Array.from({ length: JOBS_A_ROUND }, () => newJob());
        const startMs = performance.now();
        await sides[side](jobs);
        const rate = JOBS_A_ROUND / ((performance.now() - startMs) / 1000);
        // The first round is a warm-up.
        if (round >= 0) rates[side].push(rate);
      }
    }
    await Promise.all([database.close(), other.close()]);
    return [
      {
        what: `durable job creates, ${CALLERS} callers of the store`,
        ours: perSecond(median(rates.ours)),
        against: `the driver alone, ${CALLERS} in a transaction`,
        theirs: perSecond(median(rates.theirs)),
        ratio: withRange(rates.ours.map((rate, round) => rate / (rates.theirs[round] ?? 0))),
        budget: '≥ 0.7',
      },
    ];
  },
};

/** Submits the jobs by 64 callers, each after the reply to its last job. */
export async function createTogether(
  jobs: readonly NewJob[],
  submit: JobStore['submit'],
): Promise<void> {
  let next = 0;
  const caller = async () => {
    for (let job = jobs[next++]; job; job = jobs[next++]) await submit(job, WIDE);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/** The smallest work that creates jobs: the driver, with as many jobs in a transaction as there are callers. */
export function prepareAlone({ prepare }: Pick<ReturnType<typeof openStateDatabase>, 'prepare'>) {
  const begin = prepare('BEGIN IMMEDIATE');
  const commit = prepare('COMMIT');
  const insert = prepare(`
    INSERT INTO job (
      id, scope, status, created, updated, operation, provider, model, outputs, bytes, reserved,
      prompt
    ) VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertContent = prepare(
    'INSERT INTO job_content (seq, request_id, request) VALUES (?, ?, ?)',
  );

  function create({ id, scope, createdSecs, requestId, request, ...job }: NewJob): void {
    const text = JSON.stringify(request);
    const { operation, prompt, parameters } = request;
    const { lastInsertRowid } = insert.run(
      ...[id, scope, createdSecs, createdSecs, operation, job.provider, job.model, parameters.n],
      ...[512 + text.length + prompt.length, job.reservedBytes, prompt],
    );
    insertContent.run(lastInsertRowid, requestId, text);
  }

  return (jobs: readonly NewJob[]): void => {
    for (let first = 0; first < jobs.length; first += CALLERS) {
      begin.run();
      for (const job of jobs.slice(first, first + CALLERS)) create(job);
      commit.run();
    }
  };
}
