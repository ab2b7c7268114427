import { expect, test } from 'vitest';
import { openSimulation } from './run-schedule.ts';
import { ACTIONS_A_DAY, createDays } from './schedule.ts';

// Set RETENTION_DAYS=365 for a year.
const DAYS = Number(process.env['RETENTION_DAYS'] ?? 30);
const TIMEOUT_MS = 120_000 + DAYS * 5000;
/** Records are kept for at most seven days, and while a webhook of a job is tried. */
const DAYS_KEPT = 10;
/** A job may be retried. */
const JOBS_AN_ACTION = 2;
/** An image has a sidecar. */
const FILES_A_JOB = 10;

test.each([1, 2])(
  'the records and files of many days are removed when they expire, and not before (seed %i)',
  async (seed) => {
    const simulation = await openSimulation();

    const { violations, story, passedMs, sold, stored } = await simulation.run(
      createDays(seed, DAYS),
    );
    await simulation.close();

    expect(violations, story.join('\n')).toEqual([]);
    expect(passedMs).toBeGreaterThan(DAYS * 86_400_000);
    expect(sold).toBeGreaterThan(DAYS);
    const jobs = DAYS_KEPT * ACTIONS_A_DAY * JOBS_AN_ACTION;
    expect(stored.jobs).toBeLessThan(jobs);
    expect(stored.files).toBeLessThan(jobs * FILES_A_JOB);
  },
  TIMEOUT_MS,
);
