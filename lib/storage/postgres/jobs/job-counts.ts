import { JOB_STATUSES } from '../../../contract/resources/job.ts';
import { type CountDifference, type CountedJob, differenceOf } from '../../jobs/counted-job.ts';
import type { Postgres, Queries } from '../connection.ts';
import { rowArrays } from '../row-arrays.ts';
import { type CommitNotice, notifySql, toPayloads } from './commit-notices.ts';
import type { ImageBytes } from './job-images.ts';

/** A new change of a job. `removedId` is the id of a removed job. */
export interface NewChange {
  readonly sequence: number;
  readonly scope: string;
  readonly removedId?: string;
}

/** Two states of a job. `after` is undefined if the job was removed. */
export interface JobMove {
  readonly before: CountedJob;
  readonly after: CountedJob | undefined;
}

interface ScopeMove {
  readonly scope: string;
  readonly queued?: number;
  readonly held?: number;
  readonly jobs?: number;
  readonly bytes?: number;
}

interface TotalMove {
  readonly moves: readonly JobMove[];
  /** The differences in the bytes of stored images that count in the history. */
  readonly imageMoves?: readonly ImageBytes[];
  readonly notices: readonly CommitNotice[];
}

const SCOPES = rowArrays({
  scope: 'text',
  queued: 'bigint',
  held: 'bigint',
  jobs: 'bigint',
  bytes: 'bigint',
  changes: 'bigint',
});
const CHANGES = rowArrays({ seq: 'bigint', scope: 'text', behind: 'bigint', removed: 'text' }, 7);
const ACTIVE = rowArrays({ provider: 'text', queued: 'bigint', running: 'bigint' }, 3);

// The columns of `job_total`, in the order of their parameters.
const TOTALS: readonly (readonly [name: keyof CountDifference, column: string])[] = [
  ...JOB_STATUSES.map((status) => [status, status] as const),
  ['hidden', 'hidden'],
  ['favorite', 'favorite'],
  ['bytes', 'bytes'],
  ['reserved', 'reserved'],
  ['ordinaryJobs', 'ordinary_jobs'],
  ['ordinaryBytes', 'ordinary_bytes'],
];

/**
 * Maintains the counts of all jobs, of each scope and of each provider, and numbers the changes of each scope, inside the
 * transactions that change jobs. Every transaction locks the rows of jobs first, then accounts and charges, scopes, `job_active`, and
 * `job_total` last, because two transactions that lock rows in different orders would wait for each other.
 */
export type JobCounts = ReturnType<typeof createJobCounts>;

export function createJobCounts({ schema }: Pick<Postgres, 'schema'>) {
  const LOCK_SCOPES = `
    SELECT FROM ${schema}.job_scope WHERE scope = ANY ($1::text[]) ORDER BY scope FOR UPDATE`;
  const MOVE_SCOPES = `
    WITH moved AS (
      UPDATE ${schema}.job_scope AS own SET
        queued = own.queued + more.queued, held = own.held + more.held,
        ordinary_jobs = own.ordinary_jobs + more.jobs,
        ordinary_bytes = own.ordinary_bytes + more.bytes,
        changes = own.changes + more.changes
      FROM ${SCOPES.sql} AS more WHERE own.scope = more.scope
      RETURNING own.scope, own.changes
    )
    INSERT INTO ${schema}.job_change (seq, scope, change, removed_id)
    SELECT one.seq, one.scope, moved.changes - one.behind, one.removed
    FROM ${CHANGES.sql} AS one JOIN moved ON moved.scope = one.scope
    ON CONFLICT (seq) DO UPDATE SET change = excluded.change, removed_id = excluded.removed_id`;
  const LOCK_ACTIVE = `
    SELECT FROM ${schema}.job_active WHERE provider = ANY ($1::text[]) ORDER BY provider FOR UPDATE`;
  // The count makes the update of the totals wait until the other rows are locked.
  const MOVE_TOTALS = `
    WITH moved AS (
      UPDATE ${schema}.job_active AS own SET
        queued = own.queued + more.queued, running = own.running + more.running
      FROM ${ACTIVE.sql} AS more WHERE own.provider = more.provider
      RETURNING 1
    ), total AS (
      UPDATE ${schema}.job_total SET
        ${TOTALS.map(([, column], at) => `${column} = ${column} + $${at + 6}`).join(', ')}
      WHERE (SELECT count(*) FROM moved) >= 0
    )
    ${notifySql('$1', '$2')}`;

  return {
    /** Adds to the counts of scopes, and numbers the changes of their jobs in the given order. */
    async moveScopes(
      { rows }: Queries,
      moves: readonly ScopeMove[],
      changes: readonly NewChange[],
    ): Promise<void> {
      const sums = new Map<string, Required<ScopeMove> & { changes: number }>();
      for (const { scope, queued = 0, held = 0, jobs = 0, bytes = 0 } of moves) {
        const sum = sums.get(scope) ?? NOTHING;
        sums.set(scope, {
          scope,
          queued: sum.queued + queued,
          held: sum.held + held,
          jobs: sum.jobs + jobs,
          bytes: sum.bytes + bytes,
          changes: 0,
        });
      }
      // The last change of a scope has the newest number, so the changes are counted from the end.
      const numbered = changes.toReversed().map(({ sequence, scope, removedId }) => {
        const sum = sums.get(scope) ?? { ...NOTHING, scope };
        sums.set(scope, { ...sum, changes: sum.changes + 1 });
        return { seq: sequence, scope, behind: sum.changes, removed: removedId };
      });
      if (sums.size > 1) await rows(LOCK_SCOPES, [[...sums.keys()]]);
      const values = [...SCOPES.values([...sums.values()]), ...CHANGES.values(numbered)];
      await rows(MOVE_SCOPES, values);
    },

    /** Locks the counts of providers. Called before artifacts are published, which are locked after these counts. */
    async lockActive({ rows }: Queries, providers: readonly string[]): Promise<void> {
      await rows(LOCK_ACTIVE, [providers]);
    },

    /**
     * Adds the differences of these moves to the counts of providers and of all jobs, and sends the notices with the commit. Called
     * at the end of the transaction. Until a job ends, it is counted under the provider of its plan.
     */
    async moveTotals(
      { rows }: Queries,
      { moves, imageMoves = [], notices }: TotalMove,
    ): Promise<void> {
      const differences = moves.map(({ before, after }) => ({
        ...differenceOf(before, after),
        provider: before.provider,
      }));
      const sum = (name: keyof CountDifference) =>
        differences.reduce((total, difference) => total + difference[name], 0);
      const imageBytes = imageMoves.reduce((total, { bytes }) => total + bytes, 0);
      await rows(MOVE_TOTALS, [
        schema,
        toPayloads(notices),
        ...ACTIVE.values(sumByProvider(differences)),
        ...TOTALS.map(([name]) => sum(name) + (name === 'ordinaryBytes' ? imageBytes : 0)),
      ]);
    },
  };
}

/** Returns one row for each provider whose counts change. */
function sumByProvider(
  differences: readonly (CountDifference & { readonly provider: string })[],
): readonly { provider: string; queued: number; running: number }[] {
  const sums = new Map<string, { provider: string; queued: number; running: number }>();
  for (const { provider, queued, running } of differences) {
    if (queued === 0 && running === 0) continue;
    const sum = sums.get(provider) ?? { provider, queued: 0, running: 0 };
    sums.set(provider, {
      provider,
      queued: sum.queued + queued,
      running: sum.running + running,
    });
  }
  return [...sums.values()];
}

const NOTHING = { queued: 0, held: 0, jobs: 0, bytes: 0, changes: 0 } as const;

/** Returns the difference that a move makes in the counts of the scope. */
export function toScopeMove({ before, after }: JobMove): ScopeMove {
  const { queued, bytes, reserved, ordinaryJobs, ordinaryBytes } = differenceOf(before, after);
  const held = bytes + reserved;
  return { scope: before.scope, queued, held, jobs: ordinaryJobs, bytes: ordinaryBytes };
}
