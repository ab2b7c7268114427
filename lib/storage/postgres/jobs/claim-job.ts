import { OWN_PROVIDER } from '../../../contract/request/own-work.ts';
import { BridgeError } from '../../../errors/bridge-error.ts';
import { toStoredError } from '../../../errors/error-body.ts';
import type {
  ClaimLimits,
  JobRecord,
  JobStore,
  UnreadableJob,
} from '../../../jobs/job-store-port.ts';
import { createKeyedMutex } from '../../../platform/keyed-mutex.ts';
import { parseReadable } from '../../jobs/job-rows.ts';
import type { Postgres, Queries } from '../connection.ts';
import { createGroupCommit } from '../group-commit.ts';
import { createJobAccounts } from '../ledger-store.ts';
import type { ReplicaLease } from '../replica-lease.ts';
import { rowArrays } from '../row-arrays.ts';
import { createJobCounts } from './job-counts.ts';
import type { JobEnding } from './job-endings.ts';
import { type LockedJob, toMove } from './locked-job.ts';
import { recordColumns } from './record-sql.ts';
import { type ScopeTurns, takeTurns, type WaitingScope } from './scope-turns.ts';
import { createUncertainStarts } from './uncertain-starts.ts';

interface Deps {
  readonly ending: JobEnding;
  readonly lease: Pick<ReplicaLease, 'hold'>;
}

/** One call of `claim`. */
interface Wanted {
  readonly startedSecs: number;
  readonly limits: ClaimLimits;
}

type Claimed = JobRecord | UnreadableJob;

/** The number of claims that are still wanted, and the scopes whose queued jobs could not be locked. */
interface Round {
  readonly wanted: number;
  readonly skipped: readonly string[];
}

/** The jobs that one transaction has claimed. */
interface Claims {
  readonly jobs: readonly Claimed[];
  /** Scopes whose queued jobs could not be locked. */
  readonly missing: readonly string[];
  /** True if no further job can be claimed now. */
  readonly isAll: boolean;
}

const NOTHING: Claims = { jobs: [], missing: [], isAll: true };

// A replica wants many jobs at a time only when it starts.
const LARGEST_GROUP = 64;

/**
 * Creates the method that starts queued jobs. Claims of all replicas wait for the row of the queue, so that scopes take exact
 * turns. All jobs that the workers of a replica want at the same time are therefore claimed in one transaction.
 */
export function createJobClaim(database: Postgres, deps: Deps): Pick<JobStore, 'claim'> {
  const isWaiting = `SELECT FROM ${database.schema}.job_scope WHERE queued > 0 LIMIT 1`;
  const isOwnWaiting = `
    SELECT FROM ${database.schema}.job_active WHERE provider = '${OWN_PROVIDER}' AND queued > 0`;
  const claimSome = createSomeClaims(database, deps);
  const uncertain = createUncertainStarts<{ readonly job: JobRecord }>(database, deps.lease);
  // Jobs that an uncertain transaction has started for this replica, and that no call of `claim` has returned yet.
  const earlier: JobRecord[] = [];

  async function claimGroup(group: readonly Wanted[]): Promise<readonly (Claimed | undefined)[]> {
    const settled = await uncertain.settle();
    if (!settled) return group.map(() => undefined);
    earlier.push(...settled.map(({ job }) => job));
    const claimed: Claimed[] = earlier.splice(0, group.length);
    const skipped: string[] = [];
    for (let isAll = false; !isAll && claimed.length < group.length; ) {
      const [next] = group.slice(claimed.length);
      if (!next) break;
      try {
        // A new job wakes a worker of each replica. All but one of them must not wait for the row of the queue.
        const look = next.limits.isOwnWork ? isOwnWaiting : isWaiting;
        if ((await database.read(({ rows }) => rows(look))).length === 0) break;
        const round = { wanted: group.length - claimed.length, skipped };
        const claims = await uncertain.watch((note) => claimSome(round, next, note));
        claimed.push(...claims.jobs);
        skipped.push(...claims.missing);
        isAll = claims.isAll;
      } catch (error) {
        if (claimed.length === 0) throw error;
        // The jobs that were claimed must run. The regular search finds the other jobs.
        isAll = true;
      }
    }
    return group.map((_, nth) => claimed[nth]);
  }

  // Groups of both kinds run one after the other, because each group first settles the uncertain starts.
  const groups = createKeyedMutex();
  const createClaim = () =>
    createGroupCommit(
      (group: readonly Wanted[]) => groups.run('claim', () => claimGroup(group)),
      LARGEST_GROUP,
    );
  const claimAny = createClaim();
  const claimOwnWork = createClaim();

  return {
    claim: (startedSecs, limits = {}) =>
      (limits.isOwnWork ? claimOwnWork : claimAny)({ startedSecs, limits }),
  };
}

/** Creates the function that claims jobs in one transaction. */
function createSomeClaims(database: Postgres, { ending, lease }: Deps) {
  const { owner, write } = database;
  const { lockQueue, lockNext, start } = createClaimSteps(database);
  const counts = createJobCounts(database);
  const accounts = createJobAccounts(database);

  /** Ends an unreadable job, which must not block the jobs behind it. No provider was called for the job. */
  async function endUnreadable(queries: Queries, job: LockedJob, atSecs: number): Promise<void> {
    const message = 'the stored request of the job cannot be read';
    const error = toStoredError(new BridgeError('internal', message));
    await ending.end(queries, [{ job, end: { status: 'failed', completedSecs: atSecs, error } }]);
  }

  async function begin(queries: Queries, jobs: readonly LockedJob[]): Promise<void> {
    const moved = jobs.map(({ scope }) => ({ scope, queued: -1 }));
    await counts.moveScopes(queries, moved, jobs);
    await accounts.begin(
      queries,
      jobs.map(({ sequence }) => sequence),
    );
    const scopes = [...new Set(jobs.map(({ scope }) => scope))];
    await counts.moveTotals(queries, {
      moves: jobs.map((job) => toMove(job, { status: 'running' })),
      notices: scopes.map((scope) => ({ type: 'changed', scope }) as const),
    });
  }

  return (
    round: Round,
    { startedSecs, limits }: Wanted,
    note: (starts: readonly { readonly job: JobRecord }[]) => void,
  ): Promise<Claims> =>
    write(async (queries) => {
      note([]);
      if (!(await lease.hold(queries))) return NOTHING;
      const queue = await lockQueue(queries);
      const { maxRunning = Number.POSITIVE_INFINITY } = limits;
      const wanted = Math.min(round.wanted, maxRunning - queue.running);
      if (queue.isPaused || wanted <= 0) return NOTHING;
      const { locked, turns, missing, isAll } = await lockNext(
        queries,
        { ...round, wanted, isOwnWork: limits.isOwnWork === true },
        queue.claims,
      );
      const records = locked.map((job) => ({ job, record: parseReadable(job) }));
      const readable = records.filter(({ record }) => record !== undefined);
      // If a job is unreadable, a later transaction ends the job, because that needs other locks.
      const started = (readable.length > 0 ? readable : records.slice(0, 1)).map(({ job }) => job);
      const [first] = started;
      if (!first) return { jobs: [], missing, isAll };
      const sequences = started.map(({ sequence }) => sequence);
      await start(queries, sequences, turns, { owner, startedSecs });
      if (readable.length === 0) {
        await endUnreadable(queries, first, startedSecs);
        const { id, scope, sequence } = first;
        return { jobs: [{ id, scope, sequence }], missing, isAll: false };
      }
      await begin(queries, started);
      const change = { status: 'running', startedSecs, updatedSecs: startedSecs } as const;
      const jobs = readable.flatMap(({ record }) => (record ? [{ ...record, ...change }] : []));
      note(jobs.map((job) => ({ job })));
      return {
        jobs,
        missing,
        isAll: isAll && readable.length === records.length,
      };
    });
}

const PICKED = rowArrays({ picked: 'text', wanted: 'integer' });
const TURNS = rowArrays({ scope: 'text', turn: 'bigint' }, 5);

/** Creates the steps of a claim within the caller's transaction. */
function createClaimSteps({ schema }: Pick<Postgres, 'schema'>) {
  const LOCK_QUEUE = `
    SELECT paused = 1 AS "isPaused", claims FROM ${schema}.queue FOR NO KEY UPDATE`;
  const COUNT_RUNNING = `SELECT running FROM ${schema}.job_total`;
  // Other transactions lock several scopes in the same order.
  const lockScopes = (condition: string) => `
    SELECT scope, queued, turn, joined FROM ${schema}.job_scope WHERE scope IN (
      SELECT scope FROM ${schema}.job_scope
      WHERE queued > 0 AND scope <> ALL ($1::text[]) ${condition} ORDER BY turn, joined LIMIT $2)
    ORDER BY scope FOR UPDATE`;
  // Jobs that are being cancelled are skipped.
  const lockJobs = (condition: string) => `
    SELECT ${recordColumns(schema)}, owner, hidden, bytes, reserved, inputs
    FROM ${PICKED.sql} AS picked CROSS JOIN LATERAL (
      SELECT * FROM ${schema}.job
      WHERE job.scope = picked.picked AND status = 'queued' ${condition}
      ORDER BY priority DESC, seq LIMIT picked.wanted FOR NO KEY UPDATE SKIP LOCKED
    ) AS job JOIN ${schema}.job_content ON job_content.seq = job.seq`;
  const isOwn = `AND provider = '${OWN_PROVIDER}'`;
  const hasOwn = `AND EXISTS (
    SELECT FROM ${schema}.job WHERE job.scope = job_scope.scope AND status = 'queued' ${isOwn})`;
  const LOCK = { scopes: lockScopes(''), jobs: lockJobs('') };
  const LOCK_OWN = { scopes: lockScopes(hasOwn), jobs: lockJobs(isOwn) };
  // A wrong count must not block the queue.
  const LEAVE_QUEUE = `
    UPDATE ${schema}.job_scope SET queued = 0
    WHERE scope = ANY ($1::text[]) AND NOT EXISTS (
      SELECT FROM ${schema}.job WHERE job.scope = job_scope.scope AND status = 'queued')`;
  const START = `
    WITH started AS (
      UPDATE ${schema}.job SET status = 'running', owner = $2, started = $3, updated = $3
      WHERE seq = ANY ($1::bigint[])
    ), claims AS (
      UPDATE ${schema}.queue SET claims = greatest(claims, $4)
    )
    UPDATE ${schema}.job_scope AS own SET turn = one.turn
    FROM ${TURNS.sql} AS one WHERE own.scope = one.scope`;

  return {
    /** Locks the queue, so that no other replica can claim a job until the end of the transaction. */
    async lockQueue({ rows }: Queries) {
      const [queue] = await rows<{ isPaused: boolean; claims: number }>(LOCK_QUEUE);
      const [total] = await rows<{ running: number }>(COUNT_RUNNING);
      if (!queue || !total) throw new BridgeError('internal', 'the queue has no row');
      return { ...queue, running: total.running };
    },

    /** Locks jobs whose turn has come. `isAll` is true if no other job is queued. */
    async lockNext(
      { rows }: Queries,
      { wanted, skipped, isOwnWork }: Round & { readonly isOwnWork: boolean },
      claims: number,
    ) {
      const lock = isOwnWork ? LOCK_OWN : LOCK;
      const waiting = await rows<WaitingScope>(lock.scopes, [skipped, wanted]);
      const turns = takeTurns(waiting, { jobs: wanted, claims });
      const planned = turns.reduce((sum, { jobs }) => sum + jobs, 0);
      const values = PICKED.values(
        turns.map(({ scope, jobs }) => ({ picked: scope, wanted: jobs })),
      );
      const locked = planned === 0 ? [] : await rows<LockedJob>(lock.jobs, values);
      const found = new Set(locked.map(({ scope }) => scope));
      const missing = turns.flatMap(({ scope }) => (found.has(scope) ? [] : [scope]));
      if (missing.length > 0) await rows(LEAVE_QUEUE, [missing]);
      return {
        locked,
        missing,
        turns: turns.filter(({ scope }) => found.has(scope)),
        isAll: waiting.length < wanted && planned < wanted && locked.length === planned,
      };
    },

    /** Starts locked jobs, and stores the turns of their scopes. */
    async start(
      { rows }: Queries,
      sequences: readonly number[],
      turns: readonly ScopeTurns[],
      { owner, startedSecs }: { readonly owner: string; readonly startedSecs: number },
    ): Promise<void> {
      const claims = Math.max(...turns.map(({ turn }) => turn));
      await rows(START, [sequences, owner, startedSecs, claims, ...TURNS.values(turns)]);
    },
  };
}
