import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createIds } from '../../../../../lib/platform/ids.ts';
import { connect, IN_MEMORY } from '../../../../../lib/storage/sqlite/connection.ts';
import {
  openStateDatabase,
  stateDatabaseFile,
} from '../../../../../lib/storage/sqlite/database.ts';
import { findStateProblems } from '../../../../../lib/storage/sqlite/inspect-state.ts';
import {
  NEXT_SCOPE,
  NEXT_SCOPE_OF_PROVIDER,
} from '../../../../../lib/storage/sqlite/jobs/job-counts.ts';
import { LARGEST_BY, NEXT_ENDED } from '../../../../../lib/storage/sqlite/jobs/job-retention.ts';
import {
  createJobStore,
  NEXT_JOB,
  NEXT_JOB_OF_PROVIDER,
} from '../../../../../lib/storage/sqlite/jobs/job-store.ts';
import {
  createQueueStore,
  LIST_ACTIVE,
  LIST_DURATIONS,
  LIST_JOBS,
  LIST_RUNNING,
  LIST_WAITING,
} from '../../../../../lib/storage/sqlite/jobs/queue-store.ts';
import { migrate } from '../../../../../lib/storage/sqlite/migrations.ts';
import { describeQueueStore } from '../../../../contracts/queue-store.ts';
import { newJob, WIDE } from '../../../../support/jobs.ts';
import { SQLITE_FORMS } from '../../../../support/sqlite-forms.ts';

const ids = createIds(() => 0);

for (const [label, open] of SQLITE_FORMS) {
  describeQueueStore(label, async () => {
    const { stores, close } = await open();
    return { queue: stores.queue, jobs: stores.jobs, close };
  });
}

describe('createQueueStore', () => {
  test('a pause is kept after the database was closed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'queue-store-'));
    const file = stateDatabaseFile(directory);
    const first = openStateDatabase({ file, ids });
    await createQueueStore(first).setPaused(true);
    await first.close();

    const second = openStateDatabase({ file, ids });
    const { paused } = await createQueueStore(second).read();
    await second.close();
    await rm(directory, { recursive: true });

    expect(paused).toBe(true);
  });

  test('a wrong count of queued jobs does not block the queue', async () => {
    const database = openStateDatabase({ file: IN_MEMORY, ids });
    const jobs = createJobStore(database);
    database
      .prepare("INSERT INTO job_scope (scope, queued, joined, held) VALUES ('empty', 7, 0, 1)")
      .run();
    const { job } = await jobs.submit(newJob(), WIDE);

    const claimed = await jobs.claim(1);
    await database.close();

    expect(claimed?.id).toBe(job.id);
  });

  test('a wrong count is detected', async () => {
    const database = openStateDatabase({ file: IN_MEMORY, ids });
    database.prepare("INSERT INTO job_active VALUES ('comfy', 1, 0)").run();

    const problems = findStateProblems(database);
    await database.close();

    expect(problems).toEqual(['the active jobs of 1 providers are miscounted']);
  });
});

/** Returns the steps of a query plan that read tables. */
function planOf(sql: string, bound: object): readonly string[] {
  const connection = connect(IN_MEMORY);
  migrate(connection);
  const rows = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(bound);
  connection.close();
  return rows
    .map((row) => String(Object(row).detail))
    .filter((step) => /SEARCH|SCAN|TEMP/.test(step));
}

describe('NEXT_SCOPE', () => {
  test('the next scope is the first entry of an index', () => {
    expect(planOf(NEXT_SCOPE, {})).toEqual([
      'SCAN job_scope USING INDEX job_scope_turns',
      'SCAN queue',
    ]);
  });
});

describe('NEXT_SCOPE_OF_PROVIDER', () => {
  test('the scopes are read in the order of their turns, and each is looked up in an index', () => {
    expect(planOf(NEXT_SCOPE_OF_PROVIDER, { provider: 'p' })).toEqual([
      'SCAN job_scope USING INDEX job_scope_turns',
      'SCAN queue',
      'SEARCH job_active USING PRIMARY KEY (provider=?)',
      'SEARCH job EXISTS USING COVERING INDEX job_list_of_provider (scope=? AND provider=? AND status=?)',
    ]);
  });
});

describe('NEXT_JOB_OF_PROVIDER', () => {
  test('the jobs of the scope and the provider are found in an index', () => {
    expect(planOf(NEXT_JOB_OF_PROVIDER, ['s', 'p'])).toEqual([
      'SEARCH job USING INDEX job_list_of_provider (scope=? AND provider=? AND status=?)',
      'USE TEMP B-TREE FOR ORDER BY',
    ]);
  });
});

describe('NEXT_JOB', () => {
  test('the next job is the first entry of its scope in an index', () => {
    expect(planOf(NEXT_JOB, ['s'])).toEqual(['SEARCH job USING INDEX job_claim_order (scope=?)']);
  });
});

describe('prune', () => {
  test('the largest history and its oldest job are found in indexes', () => {
    expect([LARGEST_BY.jobs, LARGEST_BY.bytes].map((sql) => planOf(sql, [1]))).toEqual([
      ['SEARCH job_scope USING COVERING INDEX job_scope_by_jobs (ordinary_jobs>?)'],
      ['SCAN job_scope USING INDEX job_scope_by_bytes'],
    ]);
    expect(planOf(NEXT_ENDED, ['s', 0, 0])).toEqual([
      'SEARCH job USING COVERING INDEX job_history_of_scope (scope=? AND completed>?)',
      'SEARCH webhook USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
  });
});

describe('LIST_ACTIVE', () => {
  test('only the active jobs of the tokens are read', () => {
    const steps = planOf(LIST_ACTIVE, ['[]', 1]);

    expect(steps.filter((step) => /job|TEMP/.test(step))).toEqual([
      'SEARCH job USING INDEX job_active_token (token=?)',
    ]);
  });
});

describe('LIST_JOBS', () => {
  test('the jobs of a page are read from indexes', () => {
    expect(planOf(LIST_JOBS, { after: 0, limit: 20 })).toEqual([
      'SEARCH job USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH job USING COVERING INDEX job_queued (seq>?)',
      'SEARCH job USING COVERING INDEX job_running (seq>?)',
    ]);
  });
});

describe('outlook', () => {
  test('the queued, the running and the ended jobs are read from indexes in their order', () => {
    expect(planOf(LIST_WAITING, ['s', 9])).toEqual([
      'SEARCH job USING INDEX job_claim_order (scope=?)',
    ]);
    expect(planOf(LIST_RUNNING, [9])).toEqual(['SCAN job USING INDEX job_running']);
    expect(planOf(LIST_DURATIONS, [9]).at(-2)).toBe(
      'SEARCH job USING INDEX job_ordinary_history (completed>?)',
    );
  });
});
