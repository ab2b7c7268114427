import type { JobRecord } from '../../../jobs/job-store-port.ts';
import { parseRecord } from '../../jobs/job-rows.ts';
import type { Postgres, Queries } from '../connection.ts';
import { createGroupCommit } from '../group-commit.ts';
import { LOCKED_COLUMNS, type LockedJob } from './locked-job.ts';
import { recordColumns, recordTables } from './record-sql.ts';

/** A locked job, and the request to change the job. */
export interface LockedChange<Request> {
  readonly job: LockedJob;
  readonly request: Request;
}

interface Options<Request> {
  /** Throws if the job may not be changed in this way. */
  readonly check?: (change: LockedChange<Request>) => void;
  /** Changes the jobs within the transaction. */
  readonly change: (queries: Queries, changes: readonly LockedChange<Request>[]) => Promise<void>;
}

interface Wanted<Request> {
  readonly scope: string;
  readonly id: string;
  readonly request: Request;
}

type Outcome = { readonly record: JobRecord | undefined } | { readonly refusal: unknown };

// A group of this size is stored in about 50 milliseconds.
const LARGEST_GROUP = 32;

/**
 * Creates the function that changes a job, and resolves with the job in its new state or with undefined if the scope has no such job.
 * Changes that are requested at the same time are stored in one transaction, because each transaction waits for the rows of the
 * counts and for the disk. A job that may not be changed rejects only its own request.
 */
export function createGroupedChanges<Request>(
  database: Postgres,
  { check = () => {}, change }: Options<Request>,
) {
  const { schema } = database;
  const LOCK = `
    SELECT ${LOCKED_COLUMNS} FROM ${schema}.job WHERE id = ANY ($1::text[])
    ORDER BY seq FOR NO KEY UPDATE`;
  const FIND = `
    SELECT ${recordColumns(schema)} FROM ${recordTables(schema)} WHERE job.seq = ANY ($1::bigint[])`;

  function changeGroup(group: readonly Wanted<Request>[]): Promise<readonly Outcome[]> {
    const ids = group.map(({ id }) => id);
    return database.write(async (queries) => {
      // Two changes of one job are stored one after the other.
      if (new Set(ids).size < ids.length) throw new Error('a group changes a job twice');
      const locked = await queries.rows<LockedJob>(LOCK, [ids]);
      const jobs = new Map(locked.map((job) => [job.id, job]));
      const changes: LockedChange<Request>[] = [];
      const refusals = new Map<string, Outcome>();
      for (const { scope, id, request } of group) {
        const job = jobs.get(id);
        if (job?.scope !== scope) continue;
        const refusal = refusalOf({ job, request });
        if (refusal) refusals.set(id, refusal);
        else changes.push({ job, request });
      }
      if (changes.length > 0) await change(queries, changes);
      const changed = changes.map(({ job }) => job.sequence);
      const rows = changed.length > 0 ? await queries.rows(FIND, [changed]) : [];
      const records = new Map(rows.map(parseRecord).map((record) => [record?.id, record]));
      return ids.map((id) => refusals.get(id) ?? { record: records.get(id) });
    });
  }

  function refusalOf(one: LockedChange<Request>): Outcome | undefined {
    try {
      check(one);
      return undefined;
    } catch (refusal) {
      return { refusal };
    }
  }

  const changeInGroup = createGroupCommit(changeGroup, LARGEST_GROUP);

  return async (scope: string, id: string, request: Request): Promise<JobRecord | undefined> => {
    const outcome = await changeInGroup({ scope, id, request });
    if ('refusal' in outcome) throw outcome.refusal;
    return outcome.record;
  };
}
