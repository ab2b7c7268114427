import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds } from '../../../../lib/platform/ids.ts';
import { IN_MEMORY } from '../../../../lib/storage/sqlite/connection.ts';
import {
  openStateDatabase,
  type StateDatabase,
  stateDatabaseFile,
} from '../../../../lib/storage/sqlite/database.ts';
import { findStateProblems } from '../../../../lib/storage/sqlite/inspect-state.ts';
import { createJobStore } from '../../../../lib/storage/sqlite/jobs/job-store.ts';
import { jobHistories } from '../../../support/job-histories.ts';
import { editOf, newJob, succeeded, WIDE } from '../../../support/jobs.ts';

const ids = createIds(() => 0);

describe('findStateProblems', () => {
  let directory: string;
  let file: string;
  let database: StateDatabase;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'inspect-state-'));
    file = stateDatabaseFile(directory);
    database = openStateDatabase({ file, ids });
    const store = createJobStore(database);
    await store.submit(newJob(), WIDE);
    const { job } = await store.submit(newJob({ request: editOf(['ab'.repeat(32)]) }), WIDE);
    await store.claim(1);
    await store.claim(1);
    await store.settle(job.sequence, succeeded());
  });
  afterEach(async () => {
    await database.close();
    await rm(directory, { recursive: true });
  });

  test('totals equal a recount after any history of jobs', async () => {
    await fc.assert(
      fc.asyncProperty(jobHistories, async (history) => {
        const other = openStateDatabase({ file: IN_MEMORY, ids });
        const store = createJobStore(other);
        const model = { jobs: new Map(), providers: new Map(), facts: new Map() };

        for (const step of history) await step(store, model);

        expect(findStateProblems(other)).toEqual([]);
        expect(Object.values((await store.totals()).byStatus).reduce((a, b) => a + b)).toBe(
          model.jobs.size,
        );
        await other.close();
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    [
      'UPDATE job_total SET queued = 7, bytes = bytes + 1',
      [
        'job_total.queued is 7 and must be 0',
        expect.stringMatching(/^job_total\.bytes is \d+ and must be \d+$/),
      ],
    ],
    [
      "UPDATE job_content SET request = request || ' ' WHERE seq = 1",
      [/^the recorded sizes of 1 jobs/],
    ],
    ['DELETE FROM job_content WHERE seq = 2', [/^the recorded sizes of 1 jobs/]],
    [
      'UPDATE job_input SET bytes = bytes + 7',
      [
        expect.stringMatching(/^job_total\.ordinary_bytes is \d+ and must be \d+$/),
        'the jobs of 1 scopes are miscounted',
      ],
    ],
    ['UPDATE job_scope SET queued = 1', ['the jobs of 1 scopes are miscounted']],
    ["UPDATE job_scope SET scope = 'b'", ['the jobs of 2 scopes are miscounted']],
    ['UPDATE artifact_total SET artifacts = 3', ['artifact_total.artifacts is 3 and must be 0']],
  ])('the change %s is detected', (change, findings) => {
    database.prepare(change).run();

    const found = findStateProblems(database);

    expect(found).toEqual(
      findings.map((finding) =>
        finding instanceof RegExp ? expect.stringMatching(finding) : finding,
      ),
    );
  });

  test('a row without its parent is detected', () => {
    database.prepare('PRAGMA foreign_keys = OFF').run();
    database.prepare('DELETE FROM job WHERE seq = 1').run();

    expect(findStateProblems(database)).toEqual(['the database is damaged: a row has no parent']);
  });

  test('damaged pages are detected', async () => {
    const roots = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'job_content'");
    const offset = (Number(roots.pluck().get()) - 1) * 4096;
    await database.close();
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0xa5, offset, offset + 4096));
    database = openStateDatabase({ file, ids });

    const found = findStateProblems(database);

    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(found.map(() => expect.stringMatching(/^the database is damaged: /)));
  });
});
