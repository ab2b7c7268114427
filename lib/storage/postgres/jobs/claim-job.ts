import { BridgeError } from '../../../errors/bridge-error.ts';
import { toStoredError } from '../../../errors/error-body.ts';
import type { JobRecord, JobStore, UnreadableJob } from '../../../jobs/job-store-port.ts';
import { parseReadable } from '../../jobs/job-rows.ts';
import type { Postgres, Queries } from '../connection.ts';
import { createJobAccounts } from '../ledger-store.ts';
import type { ReplicaLease } from '../replica-lease.ts';
import { createJobCounts } from './job-counts.ts';
import type { JobEnding } from './job-endings.ts';
import { type LockedJob, toMove } from './locked-job.ts';
import { recordColumns } from './record-sql.ts';

interface Deps {
  readonly ending: JobEnding;
  readonly lease: Pick<ReplicaLease, 'hold'>;
}

/** Creates the method that starts queued jobs. A replica claims one job at a time, because claims wait for each other anyway. */
export function createJobClaim(
  database: Postgres,
  { ending, lease }: Deps,
): Pick<JobStore, 'claim'> {
  const { schema, owner, write } = database;
  const LOCK_QUEUE = `SELECT paused FROM ${schema}.queue FOR NO KEY UPDATE`;
  const NEXT_SCOPE = `
    SELECT scope FROM ${schema}.job_scope
    WHERE queued > 0 AND scope <> ALL ($1::text[]) ORDER BY turn, joined LIMIT 1 FOR UPDATE`;
  const IS_WAITING = `
    SELECT FROM ${schema}.job_scope WHERE queued > 0 AND scope <> ALL ($1::text[]) LIMIT 1`;
  const LOCK_NEXT = `
    SELECT ${recordColumns(schema)}, owner, hidden, bytes, reserved, inputs
    FROM (
      SELECT * FROM ${schema}.job WHERE scope = $1 AND status = 'queued'
      ORDER BY priority DESC, seq LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) AS job JOIN ${schema}.job_content ON job_content.seq = job.seq`;
  const COUNT_RUNNING = `SELECT running FROM ${schema}.job_total`;
  // A wrong count must not block the queue.
  const LEAVE_QUEUE = `
    UPDATE ${schema}.job_scope SET queued = 0
    WHERE scope = $1 AND NOT EXISTS (
      SELECT FROM ${schema}.job WHERE job.scope = $1 AND status = 'queued')`;
  const START = `
    WITH started AS (
      UPDATE ${schema}.job SET status = 'running', owner = $2, started = $3, updated = $3 WHERE seq = $1
    ), claims AS (
      UPDATE ${schema}.queue SET claims = claims + 1 RETURNING claims
    )
    UPDATE ${schema}.job_scope SET turn = (SELECT claims FROM claims) WHERE scope = $4`;
  const counts = createJobCounts(database);
  const accounts = createJobAccounts(database);
  let previous: Promise<unknown> = Promise.resolve();

  /**
   * Locks the next job. Jobs that are being cancelled are skipped. Claims of all replicas wait for the row of the queue, so that
   * scopes take exact turns.
   */
  async function lockNext({ rows }: Queries, maxRunning: number): Promise<LockedJob | undefined> {
    const [queue] = await rows<{ paused: number }>(LOCK_QUEUE);
    if (queue?.paused !== 0 || !(await hasRoom({ rows }, maxRunning))) return undefined;
    const skipped: string[] = [];
    for (;;) {
      const [next] = await rows<{ scope: string }>(NEXT_SCOPE, [skipped]);
      if (next) {
        const [job] = await rows<LockedJob>(LOCK_NEXT, [next.scope]);
        if (job) return job;
        await rows(LEAVE_QUEUE, [next.scope]);
        skipped.push(next.scope);
      } else if ((await rows(IS_WAITING, [skipped])).length === 0) return undefined;
      // Otherwise the last queued job of the next scope was cancelled while the statement waited for the row of the scope.
    }
  }

  /** Returns false if `maxRunning` jobs run. No other replica can claim a job meanwhile, because the row of the queue is locked. */
  async function hasRoom({ rows }: Queries, maxRunning: number): Promise<boolean> {
    if (maxRunning === Number.POSITIVE_INFINITY) return true;
    const [total] = await rows<{ running: number }>(COUNT_RUNNING);
    return total !== undefined && total.running < maxRunning;
  }

  const claimNow = (startedSecs: number, maxRunning: number) =>
    write(async (queries): Promise<JobRecord | UnreadableJob | undefined> => {
      if (!(await lease.hold(queries))) return undefined;
      const locked = await lockNext(queries, maxRunning);
      if (!locked) return undefined;
      const { sequence, scope, id } = locked;
      await queries.rows(START, [sequence, owner, startedSecs, scope]);
      const job = parseReadable(locked);
      if (!job) {
        // An unreadable job must not block the jobs behind it in the queue. No provider was called for the unreadable job.
        await ending.end(queries, locked, {
          status: 'failed',
          completedSecs: startedSecs,
          error: toStoredError(
            new BridgeError('internal', 'the stored request of the job cannot be read'),
          ),
        });
        return { id, scope, sequence };
      }
      await counts.moveScopes(queries, [{ scope, queued: -1 }], [{ sequence, scope }]);
      await accounts.begin(queries, sequence);
      await counts.moveTotals(queries, {
        moves: [toMove(locked, { status: 'running' })],
        notices: [{ type: 'changed', scope }],
      });
      return { ...job, status: 'running', startedSecs, updatedSecs: startedSecs };
    });

  return {
    claim(startedSecs, maxRunning = Number.POSITIVE_INFINITY) {
      const claimed = previous.then(() => claimNow(startedSecs, maxRunning));
      previous = claimed.catch(() => {});
      return claimed;
    },
  };
}
