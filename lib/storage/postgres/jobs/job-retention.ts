import type {
  EndedPlace,
  JobRetention,
  JobStore,
  PrunePlaces,
} from '../../../jobs/job-store-port.ts';
import { REMEMBERED_CHANGES } from '../../jobs/change-order.ts';
import {
  exceededMeasure,
  FIRST_PLACE,
  type HistorySize,
  scopeAboveShare,
} from '../../jobs/retention-choice.ts';
import type { Postgres, Queries } from '../connection.ts';
import { createJobCounts, toScopeMove } from './job-counts.ts';
import { createJobImages } from './job-images.ts';
import { LOCKED_COLUMNS, type LockedJob, toMove } from './locked-job.ts';

/** The jobs that a step removed, and the images that no remaining job uses. */
interface Removal {
  readonly removed: readonly number[];
  readonly released: readonly string[];
}

/** The progress of one call. */
interface Progress {
  readonly places: PrunePlaces;
  /** The scopes whose remaining jobs all have pending webhooks. */
  readonly skipped: ReadonlySet<string>;
  /** The number of examined jobs. */
  readonly examined: number;
  /** True if nothing is left to remove. */
  readonly isDone: boolean;
}

/**
 * Creates the method that keeps the history within its limits. A call removes jobs in few steps, each in one transaction. One replica
 * removes jobs at a time, and a call of another replica meanwhile removes nothing.
 */
export function createJobRetention(database: Postgres): Pick<JobStore, 'prune'> {
  const { schema } = database;
  const TRY_LOCK = `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 1)) AS "isLocked"`;
  const LIST_OLD = `
    SELECT seq AS sequence FROM ${schema}.job
    WHERE completed IS NOT NULL AND favorite = 0 AND completed < $1
    ORDER BY completed, seq LIMIT $2`;
  const remove = createRemoval(database);
  const choose = createChoice(database);

  /** Removes the jobs that `list` resolves with. Resolves with undefined if another replica removes jobs now. */
  function step<T extends { readonly sequences: readonly number[] }>(
    list: (queries: Queries) => Promise<T>,
  ): Promise<(T & Removal) | undefined> {
    return database.write(async (queries) => {
      const [lock] = await queries.rows<{ isLocked: boolean }>(TRY_LOCK, [schema]);
      if (!lock?.isLocked) return undefined;
      const chosen = await list(queries);
      return { ...chosen, ...(await remove(queries, chosen.sequences)) };
    });
  }

  return {
    async prune(retention) {
      const { completedBeforeSecs, batch, after } = retention;
      const old = await step(async ({ rows }) => {
        const found = await rows<{ sequence: number }>(LIST_OLD, [completedBeforeSecs, batch]);
        return { sequences: found.map(({ sequence }) => sequence) };
      });
      const removed = [...(old?.removed ?? [])];
      const released = new Set(old?.released);
      let progress: Progress = {
        places: after ?? new Map(),
        skipped: new Set(),
        examined: removed.length,
        isDone: old === undefined,
      };
      while (!progress.isDone && progress.examined < batch) {
        const from = progress;
        const done = await step((queries) => choose(queries, retention, from));
        for (const sequence of done?.removed ?? []) removed.push(sequence);
        for (const sha256 of done?.released ?? []) released.add(sha256);
        progress = done ?? { ...from, isDone: true };
      }
      const next = progress.isDone ? undefined : progress.places;
      return { removed, releasedInputs: [...released], next };
    },
  };
}

interface EndedJob extends EndedPlace {
  readonly bytes: number;
  readonly inputs: number;
  readonly isPending: boolean;
}

/**
 * Creates the function that chooses the jobs of the next step. A job with stored images is the last job of its step, because only
 * its removal shows which of its images stay in the history.
 */
function createChoice({ schema }: Pick<Postgres, 'schema'>) {
  const HISTORY = `SELECT ordinary_jobs AS jobs, ordinary_bytes AS bytes FROM ${schema}.job_total`;
  const SCOPES = `
    SELECT scope, ordinary_jobs AS jobs, ordinary_bytes AS bytes FROM ${schema}.job_scope
    WHERE ordinary_jobs > 0`;
  const LIST_ENDED = `
    SELECT
      seq AS sequence, completed AS "completedSecs", bytes, inputs,
      EXISTS (SELECT FROM ${schema}.webhook WHERE webhook.seq = job.seq AND due IS NOT NULL)
        AS "isPending"
    FROM ${schema}.job
    WHERE scope = $1 AND completed IS NOT NULL AND favorite = 0 AND (completed, seq) > ($2, $3)
    ORDER BY completed, seq LIMIT $4`;

  return async (
    { rows }: Queries,
    retention: JobRetention,
    from: Progress,
  ): Promise<Progress & { readonly sequences: readonly number[] }> => {
    const places = new Map<string, EndedPlace>(from.places);
    const skipped = new Set(from.skipped);
    const sequences: number[] = [];
    const pages = new Map<string, EndedJob[]>();
    let { examined } = from;
    const [total] = await rows<HistorySize>(HISTORY);
    const history = historyOf(total, await rows<HistorySize & { scope: string }>(SCOPES));

    const end = (isDone: boolean) => ({ sequences, places, skipped, examined, isDone });

    async function nextEnded(scope: string): Promise<EndedJob | undefined> {
      const { completedSecs, sequence } = places.get(scope) ?? FIRST_PLACE;
      const page = pages.get(scope) ?? [
        ...(await rows<EndedJob>(LIST_ENDED, [
          scope,
          completedSecs,
          sequence,
          retention.batch - examined,
        ])),
      ];
      pages.set(scope, page);
      return page.shift();
    }

    while (examined < retention.batch) {
      const scope = history.largest(retention, skipped);
      if (scope === undefined) return end(true);
      const job = await nextEnded(scope);
      if (job === undefined) {
        // All remaining jobs of the scope have pending webhooks.
        skipped.add(scope);
        continue;
      }
      examined += 1;
      places.set(scope, job);
      if (job.isPending) continue;
      sequences.push(job.sequence);
      if (job.inputs > 0) return end(false);
      history.remove(scope, job.bytes);
    }
    return end(false);
  };
}

/** Tracks the sizes of the history while jobs are chosen. */
function historyOf(
  { jobs, bytes }: HistorySize = { jobs: 0, bytes: 0 },
  rows: readonly (HistorySize & { readonly scope: string })[],
) {
  let all: HistorySize = { jobs, bytes };
  const scopes = new Map<string, HistorySize>(rows.map((row) => [row.scope, row]));

  return {
    /** Returns the scope that loses its oldest job, or undefined if no job has to be removed. */
    largest(retention: JobRetention, skipped: ReadonlySet<string>): string | undefined {
      const exceeded = exceededMeasure(all, retention);
      if (exceeded === undefined) return undefined;
      const { measure, limit } = exceeded;
      const largest = [...scopes]
        .filter(([scope]) => !skipped.has(scope))
        .map(([scope, size]) => ({ scope, filled: size[measure] }))
        .sort((one, other) => other.filled - one.filled);
      return scopeAboveShare(largest, { limit, holders: scopes.size }, skipped);
    },

    /** Subtracts a job without stored images. */
    remove(scope: string, bytes: number): void {
      const own = less(scopes.get(scope) ?? { jobs: 1, bytes }, bytes);
      all = less(all, bytes);
      if (own.jobs > 0) scopes.set(scope, own);
      else scopes.delete(scope);
    },
  };
}

function less({ jobs, bytes }: HistorySize, removedBytes: number): HistorySize {
  return { jobs: jobs - 1, bytes: bytes - removedBytes };
}

/**
 * Creates the function that removes jobs within the caller's transaction. Keeps a listed job that became a favourite in the
 * meantime.
 */
function createRemoval({ schema }: Pick<Postgres, 'schema'>) {
  const LOCK = `
    SELECT ${LOCKED_COLUMNS} FROM ${schema}.job
    WHERE seq = ANY ($1::bigint[]) AND completed IS NOT NULL AND favorite = 0
    ORDER BY seq FOR UPDATE`;
  const REMOVE = `DELETE FROM ${schema}.job WHERE seq = ANY ($1::bigint[])`;
  const FORGET_REMOVALS = `
    DELETE FROM ${schema}.job_change USING ${schema}.job_scope
    WHERE job_scope.scope = job_change.scope AND job_change.scope = ANY ($1::text[])
      AND removed_id IS NOT NULL AND change <= changes - $2::bigint`;
  const counts = createJobCounts({ schema });
  const images = createJobImages({ schema });

  return async (queries: Queries, sequences: readonly number[]): Promise<Removal> => {
    if (sequences.length === 0) return { removed: [], released: [] };
    const locked = await queries.rows<LockedJob>(LOCK, [sequences]);
    const jobs = new Map(locked.map((job) => [job.sequence, job]));
    const removed = sequences.filter((sequence) => jobs.has(sequence));
    const sha256s = await images.list(queries, locked);
    const imageMoves = await images.countingOf(queries, locked, () =>
      queries.rows(REMOVE, [removed]),
    );
    const moves = locked.map((job) => toMove(job, undefined));
    const changes = removed.flatMap((sequence) => {
      const job = jobs.get(sequence);
      return job ? [{ sequence, scope: job.scope, removedId: job.id }] : [];
    });
    const scopes = [...new Set(changes.map(({ scope }) => scope))];
    await counts.moveScopes(queries, [...moves.map(toScopeMove), ...imageMoves], changes);
    await queries.rows(FORGET_REMOVALS, [scopes, REMEMBERED_CHANGES]);
    const released = await images.unused(queries, sha256s);
    await counts.moveTotals(queries, {
      moves,
      imageMoves,
      notices: scopes.map((scope) => ({ type: 'changed', scope })),
    });
    return { removed, released };
  };
}
