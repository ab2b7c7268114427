import * as v from 'valibot';
import type {
  EndedPlace,
  JobRetention,
  JobStore,
  PrunePlaces,
} from '../../../jobs/job-store-port.ts';
import { exceededMeasure, FIRST_PLACE, scopeAboveShare } from '../../jobs/retention-choice.ts';
import type { StoreDatabase } from '../database.ts';
import type { JobChanges } from './job-change-feed.ts';
import type { JobCounts } from './job-counts.ts';

const LIST_OLD = `
  SELECT seq FROM job
  WHERE completed IS NOT NULL AND favorite = 0 AND completed < +?
  ORDER BY completed, seq LIMIT +?`;
const ORDINARY = 'SELECT ordinary_jobs AS jobs, ordinary_bytes AS bytes FROM job_total';
const COUNT_SCOPES = 'SELECT count(*) FROM job_scope WHERE ordinary_jobs > 0';
/** Exported for tests of their query plans. */
export const LARGEST_BY = {
  jobs: `
    SELECT scope, ordinary_jobs AS filled FROM job_scope
    WHERE ordinary_jobs > 0 ORDER BY ordinary_jobs DESC LIMIT +?`,
  bytes: `
    SELECT scope, ordinary_bytes AS filled FROM job_scope
    WHERE ordinary_jobs > 0 ORDER BY ordinary_bytes DESC LIMIT +?`,
};
/** Exported for tests of its query plan. */
export const NEXT_ENDED = `
  SELECT
    seq, completed,
    EXISTS (SELECT 1 FROM webhook WHERE webhook.seq = job.seq AND due IS NOT NULL) AS is_pending
  FROM job
  WHERE scope = +? AND completed IS NOT NULL AND favorite = 0 AND (completed, seq) > (+?, +?)
  ORDER BY completed, seq LIMIT 1`;
const REMOVE = 'DELETE FROM job WHERE seq = ? RETURNING id, scope';

const NEEDS_INPUT = 'SELECT 1 FROM job_input WHERE sha256 = ? LIMIT 1';
const INPUTS_OF_JOB = 'SELECT sha256 FROM job_input WHERE seq = ?';

const RemovedRow = v.object({ id: v.string(), scope: v.string() });
const Sha256s = v.array(v.string());
const Sequences = v.array(v.number());
const EndedRow = v.optional(
  v.object({ seq: v.number(), completed: v.number(), is_pending: v.number() }),
);
const OrdinaryRow = v.object({ jobs: v.number(), bytes: v.number() });
const LargestRows = v.array(v.object({ scope: v.string(), filled: v.number() }));

interface RemovalDeps {
  readonly counts: Pick<JobCounts, 'counting' | 'previousUsers'>;
  readonly changes: Pick<JobChanges, 'noteRemoval' | 'forgetRemovals'>;
}

/** Creates the method that keeps the history within its limits. */
export function createJobRetention(
  database: StoreDatabase,
  deps: RemovalDeps,
): Pick<JobStore, 'prune'> {
  const listOld = database.prepare(LIST_OLD).pluck();
  const nextEnded = database.prepare(NEXT_ENDED);
  const findLargest = prepareFindLargest(database);
  const prepareRemoval = prepareRemovals(database, deps);

  return {
    prune: (retention) =>
      database.write(() => {
        const { completedBeforeSecs, batch, after } = retention;
        const removal = prepareRemoval();
        const old = v.parse(Sequences, listOld.all(completedBeforeSecs, batch));
        for (const sequence of old) removal.remove(sequence);
        const places = new Map<string, EndedPlace>(after);
        const skipped = new Set<string>();
        let next: PrunePlaces | undefined = places;
        for (let looked = old.length; looked < batch; ) {
          const scope = findLargest(retention, skipped);
          if (scope === undefined) {
            next = undefined;
            break;
          }
          const { completedSecs, sequence } = places.get(scope) ?? FIRST_PLACE;
          const job = v.parse(EndedRow, nextEnded.get(scope, completedSecs, sequence));
          if (job === undefined) {
            // All remaining jobs of the scope have pending webhooks.
            skipped.add(scope);
            continue;
          }
          looked += 1;
          places.set(scope, { completedSecs: job.completed, sequence: job.seq });
          if (job.is_pending === 0) removal.remove(job.seq);
        }
        return { ...removal.finish(), next };
      }),
  };
}

/**
 * Prepares the search for the scope whose oldest job is removed next. The search returns the scope with the largest part of the
 * history that was not skipped. The search returns undefined if the history is within its limits, or if that scope is not above
 * its equal share.
 */
function prepareFindLargest(database: StoreDatabase) {
  const ordinary = database.prepare(ORDINARY);
  const countScopes = database.prepare(COUNT_SCOPES).pluck();
  const largest = {
    jobs: database.prepare(LARGEST_BY.jobs),
    bytes: database.prepare(LARGEST_BY.bytes),
  };

  return (retention: JobRetention, skipped: ReadonlySet<string>): string | undefined => {
    // The sums are read before each removal, because an image that another job also uses stays in the history.
    const exceeded = exceededMeasure(v.parse(OrdinaryRow, ordinary.get()), retention);
    if (exceeded === undefined) return undefined;
    const { measure, limit } = exceeded;
    const rows = v.parse(LargestRows, largest[measure].all(skipped.size + 1));
    const holders = v.parse(v.number(), countScopes.get());
    return scopeAboveShare(rows, { limit, holders }, skipped);
  };
}

/** Prepares the statements that remove jobs within the caller's transaction. Only one removal may be in progress at a time. */
function prepareRemovals(
  database: StoreDatabase,
  { counts: { counting, previousUsers }, changes }: RemovalDeps,
) {
  const remove = database.prepare(REMOVE);
  const inputsOf = database.prepare(INPUTS_OF_JOB).pluck();
  const findNeed = database.prepare(NEEDS_INPUT);

  return () => {
    const removed: number[] = [];
    const changed = new Set<string>();
    const inputs = new Set<string>();
    return {
      remove(sequence: number): void {
        for (const sha256 of v.parse(Sha256s, inputsOf.all(sequence))) inputs.add(sha256);
        const counted = [sequence, ...previousUsers(sequence)];
        const row = counting(counted, () => remove.get(sequence));
        const { id, scope } = v.parse(RemovedRow, row);
        changes.noteRemoval(sequence, scope, id);
        changed.add(scope);
        removed.push(sequence);
      },

      /** Returns the removed jobs, and the stored images that no remaining job uses. */
      finish() {
        for (const scope of changed) changes.forgetRemovals(scope);
        const releasedInputs = [...inputs].filter((sha256) => findNeed.get(sha256) === undefined);
        return { removed, releasedInputs };
      },
    };
  };
}
