import * as v from 'valibot';
import type { JobStore } from '../../../jobs/job-store-port.ts';
import type { StateDatabase } from '../database.ts';
import { parseSummary, SUMMARY_COLUMNS } from './job-rows.ts';

// At four changes for each job, this keeps the removals of about 25,000 jobs, in about 5 MB.
const REMEMBERED_CHANGES = 100_000;

const LATEST = 'SELECT coalesce(max(change), 0) FROM job_change WHERE scope = +?';
const NEXT = `
  SELECT seq, change, removed_id FROM job_change
  WHERE scope = +? AND change > +? ORDER BY change LIMIT 1`;
const FIND_SUMMARY = `SELECT ${SUMMARY_COLUMNS} FROM job WHERE seq = ?`;
const FORGET_REMOVALS = `
  DELETE FROM job_change
  WHERE scope = +@scope AND removed_id IS NOT NULL
    AND change <= (SELECT max(change) FROM job_change WHERE scope = +@scope) - @remembered`;

const ChangeRow = v.optional(
  v.object({ seq: v.number(), change: v.number(), removed_id: v.nullable(v.string()) }),
);

export function createJobChangeFeed(
  database: StateDatabase,
): Pick<JobStore, 'changes' | 'nextChange'> {
  const findLatest = database.prepare(LATEST).pluck();
  const findNext = database.prepare(NEXT);
  const findSummary = database.prepare(FIND_SUMMARY);

  return {
    changes: (scope) =>
      database.read(() => {
        const latest = v.parse(v.number(), findLatest.get(scope));
        return { latest, oldestToResume: Math.max(0, latest - REMEMBERED_CHANGES) };
      }),
    nextChange: (scope, after) =>
      database.read(() => {
        const row = v.parse(ChangeRow, findNext.get(scope, after));
        if (row === undefined) return undefined;
        const { seq, change, removed_id: removedId } = row;
        if (removedId !== null) return { change, removedId };
        return { change, job: parseSummary(findSummary.get(seq)) };
      }),
  };
}

/**
 * Prepares the deletion of old removals of a scope, for the transaction that removes jobs. No reader may resume from before
 * these removals.
 */
export function prepareForgetRemovals(
  database: Pick<StateDatabase, 'prepare'>,
): (scope: string) => void {
  const forget = database.prepare(FORGET_REMOVALS);
  return (scope) => void forget.run({ scope, remembered: REMEMBERED_CHANGES });
}
