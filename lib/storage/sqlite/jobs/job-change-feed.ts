import * as v from 'valibot';
import type { JobStore } from '../../../jobs/job-store-port.ts';
import { REMEMBERED_CHANGES, toChangeOrder } from '../../jobs/change-order.ts';
import { parseSummary, summaryColumns } from '../../jobs/job-rows.ts';
import type { StoreDatabase } from '../database.ts';

const LATEST = 'SELECT coalesce(max(change), 0) FROM job_change WHERE scope = +?';
const LIST_AFTER = `
  SELECT seq, change, removed_id FROM job_change
  WHERE scope = +? AND change > +? ORDER BY change LIMIT +?`;
const FIND_SUMMARY = `SELECT ${summaryColumns()} FROM job WHERE seq = ?`;
// A job has one row, for its latest change. The row of a removed job is kept for some time, with the id of the job.
const NOTE = `
  INSERT INTO job_change (seq, scope, change, removed_id)
  VALUES (
    @sequence, @scope,
    1 + coalesce((SELECT max(change) FROM job_change WHERE scope = +@scope), 0), @removedId
  )
  ON CONFLICT (seq) DO UPDATE SET change = excluded.change, removed_id = excluded.removed_id`;
const FORGET_REMOVALS = `
  DELETE FROM job_change
  WHERE scope = +@scope AND removed_id IS NOT NULL
    AND change <= (SELECT max(change) FROM job_change WHERE scope = +@scope) - @remembered`;

const ChangeRows = v.array(
  v.object({ seq: v.number(), change: v.number(), removed_id: v.nullable(v.string()) }),
);

export function createJobChangeFeed(
  database: StoreDatabase,
): Pick<JobStore, 'changes' | 'changesAfter'> {
  const findLatest = database.prepare(LATEST).pluck();
  const listAfter = database.prepare(LIST_AFTER);
  const findSummary = database.prepare(FIND_SUMMARY);

  return {
    changes: (scope) =>
      database.read(() => toChangeOrder(v.parse(v.number(), findLatest.get(scope)))),
    changesAfter: (scope, after, limit) =>
      database.read(() =>
        v
          .parse(ChangeRows, listAfter.all(scope, after, limit))
          .map(({ seq, change, removed_id: removedId }) =>
            removedId === null
              ? { change, job: parseSummary(findSummary.get(seq)) }
              : { change, removedId },
          ),
      ),
  };
}

/** Numbers the changes to the jobs of each scope, within the transactions that change jobs. */
export type JobChanges = ReturnType<typeof prepareJobChanges>;

export function prepareJobChanges(database: Pick<StoreDatabase, 'prepare'>) {
  const note = database.prepare(NOTE);
  const forget = database.prepare(FORGET_REMOVALS);
  return {
    /** Records a change of the job under the next number of its scope. Called after every update of the job's row. */
    note: (sequence: number, scope: string): void =>
      void note.run({ sequence, scope, removedId: null }),

    noteRemoval: (sequence: number, scope: string, removedId: string): void =>
      void note.run({ sequence, scope, removedId }),

    /** Deletes the rows of old removals in a scope. A reader cannot resume from a change before these removals. */
    forgetRemovals: (scope: string): void =>
      void forget.run({ scope, remembered: REMEMBERED_CHANGES }),
  };
}
