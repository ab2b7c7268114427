import * as v from 'valibot';
import { OWN_PROVIDER } from '../../../contract/request/own-work.ts';
import { JOB_STATUSES } from '../../../contract/resources/job.ts';
import type { ClaimLimits } from '../../../jobs/job-store-port.ts';
import { type CountedJob, CountedRow, differenceOf } from '../../jobs/counted-job.ts';
import type { StoreDatabase } from '../database.ts';

const ADD_TO_TOTALS = `
  UPDATE job_total SET queued = queued + 1, bytes = bytes + ?, reserved = reserved + ?`;
const ADD_ACTIVE = `
  INSERT INTO job_active VALUES (?, 1, 0) ON CONFLICT (provider) DO UPDATE SET queued = queued + 1`;
// Most scopes that add a job already have a queued job. The turn of such a scope does not change.
const ADD_TO_QUEUE = `
  UPDATE job_scope SET queued = queued + 1, held = held + @held
  WHERE scope = @scope AND queued > 0`;
const JOIN_QUEUE = `
  INSERT INTO job_scope (scope, queued, held, joined, turn)
  VALUES (
    @scope, 1, @held, @sequence,
    coalesce((SELECT min(turn) FROM job_scope WHERE queued > 0), 0)
  )
  ON CONFLICT (scope) DO UPDATE SET
    turn = max(turn, excluded.turn), joined = excluded.joined, queued = 1,
    held = held + excluded.held`;
/** Exported for tests of its query plan. */
export const NEXT_SCOPE = `
  SELECT scope FROM job_scope
  WHERE queued > 0 AND NOT (SELECT paused FROM queue)
  ORDER BY turn, joined LIMIT 1`;
/** Finds the scope whose turn is next among the scopes with queued jobs of a provider. Exported for tests of its query plan. */
export const NEXT_SCOPE_OF_PROVIDER = `
  SELECT scope FROM job_scope
  WHERE queued > 0 AND NOT (SELECT paused FROM queue)
    AND (SELECT queued FROM job_active WHERE provider = @provider) > 0
    AND EXISTS (
      SELECT 1 FROM job
      WHERE job.scope = job_scope.scope AND provider = @provider AND status = 'queued'
    )
  ORDER BY turn, joined LIMIT 1`;
const START_IN_TOTALS = 'UPDATE job_total SET queued = queued - 1, running = running + 1';
const START_ACTIVE = `
  UPDATE job_active SET queued = queued - 1, running = running + 1 WHERE provider = ?`;
const COUNT_CLAIM = 'UPDATE queue SET claims = claims + 1 RETURNING claims';
const TAKE_TURN = 'UPDATE job_scope SET turn = ?, queued = queued - 1 WHERE scope = ?';
const LEAVE_QUEUE = 'UPDATE job_scope SET queued = 0 WHERE scope = ?';
const COUNTED = `
  SELECT
    scope, provider, status, deleted IS NOT NULL AS hidden, favorite, bytes, reserved,
    completed IS NOT NULL AND favorite = 0 AS ordinaryJobs,
    (completed IS NOT NULL AND favorite = 0) * (bytes + (
      SELECT coalesce(sum(bytes), 0) FROM job_input AS own
      WHERE seq = job.seq AND NOT EXISTS (
        SELECT 1 FROM job_input WHERE sha256 = own.sha256 AND seq > own.seq
      )
    )) AS ordinaryBytes
  FROM job WHERE seq = ?`;
const MOVE_TOTALS = `
  UPDATE job_total SET
    ${JOB_STATUSES.map((status) => `${status} = ${status} + @${status}`).join(', ')},
    hidden = hidden + @hidden, favorite = favorite + @favorite,
    bytes = bytes + @bytes, reserved = reserved + @reserved,
    ordinary_jobs = ordinary_jobs + @ordinaryJobs, ordinary_bytes = ordinary_bytes + @ordinaryBytes`;
const MOVE_SCOPE = `
  UPDATE job_scope SET
    queued = queued + @queued, held = held + @bytes + @reserved,
    ordinary_jobs = ordinary_jobs + @ordinaryJobs, ordinary_bytes = ordinary_bytes + @ordinaryBytes
  WHERE scope = @scope`;
const MOVE_ACTIVE = `
  UPDATE job_active SET queued = queued + @queued, running = running + @running
  WHERE provider = @provider`;
const FORGET = 'DELETE FROM job_scope WHERE scope = ? AND held = 0';
const PREVIOUS_USERS = `
  SELECT DISTINCT (
    SELECT max(seq) FROM job_input WHERE sha256 = own.sha256 AND seq < own.seq
  ) FROM job_input AS own WHERE seq = +?`;
const LAST_USER = 'SELECT max(seq) FROM job_input WHERE sha256 = +?';

const Scope = v.optional(v.string());
const Sequence = v.nullable(v.number());
const Counted = v.optional(CountedRow);

/**
 * Maintains the counts of all jobs, of each scope and of each provider, and the turns of scopes, inside the transactions that
 * change jobs. The counts are kept because counting rows takes too long.
 */
export type JobCounts = ReturnType<typeof prepareJobCounts>;

export function prepareJobCounts(database: Pick<StoreDatabase, 'prepare'>) {
  const addToTotals = database.prepare(ADD_TO_TOTALS);
  const addActive = database.prepare(ADD_ACTIVE);
  const addToQueue = database.prepare(ADD_TO_QUEUE);
  const joinQueue = database.prepare(JOIN_QUEUE);
  const nextScope = database.prepare(NEXT_SCOPE).pluck();
  const nextScopeOfProvider = database.prepare(NEXT_SCOPE_OF_PROVIDER).pluck();
  const startInTotals = database.prepare(START_IN_TOTALS);
  const startActive = database.prepare(START_ACTIVE);
  const countClaim = database.prepare(COUNT_CLAIM).pluck();
  const takeTurn = database.prepare(TAKE_TURN);
  const leaveQueue = database.prepare(LEAVE_QUEUE);
  const counted = database.prepare(COUNTED);
  const moveTotals = database.prepare(MOVE_TOTALS);
  const moveScope = database.prepare(MOVE_SCOPE);
  const moveActive = database.prepare(MOVE_ACTIVE);
  const forget = database.prepare(FORGET);
  const previousUsers = database.prepare(PREVIOUS_USERS).pluck();
  const lastUser = database.prepare(LAST_USER).pluck();

  const countedOf = (sequence: number) => v.parse(Counted, counted.get(sequence));

  /** Updates all counts by the difference that a changed or removed job makes. */
  function move(before: CountedJob, after: CountedJob | undefined): void {
    const moved = differenceOf(before, after);
    if (Object.values(moved).every((difference) => difference === 0)) return;
    moveTotals.run(moved);
    moveScope.run({ ...moved, scope: before.scope });
    // Until a job ends, it is counted under the provider of its plan. The end may name another provider.
    const { queued, running } = moved;
    if (queued !== 0 || running !== 0) {
      moveActive.run({ queued, running, provider: before.provider });
    }
    if (after === undefined) forget.run(before.scope);
  }

  return {
    /** Counts a new queued job. A scope begins to wait for its turn when its first job is queued. */
    add({ sequence, scope, provider, bytes, reserved }: AddedJob): void {
      addToTotals.run(bytes, reserved);
      addActive.run(provider);
      const added = { scope, sequence, held: bytes + reserved };
      if (addToQueue.run(added).changes === 0) joinQueue.run(added);
    },

    /**
     * Returns the waiting scope whose last claim is the oldest, for own work only among the scopes with queued own work. Returns
     * undefined if no such scope waits or the queue is paused.
     */
    nextScope: ({ isOwnWork }: ClaimLimits) =>
      v.parse(
        Scope,
        isOwnWork ? nextScopeOfProvider.get({ provider: OWN_PROVIDER }) : nextScope.get(),
      ),

    /** Counts a claimed job as running, and puts its scope behind all other waiting scopes. */
    start({ scope, provider }: Pick<AddedJob, 'scope' | 'provider'>): void {
      startInTotals.run();
      startActive.run(provider);
      takeTurn.run(countClaim.get(), scope);
    },

    /**
     * Sets the count of queued jobs to 0. Called if the scope has no queued job although its count is not 0, because a wrong
     * count must not block the queue.
     */
    leaveQueue: (scope: string): void => void leaveQueue.run(scope),

    /** Counts a job that has ended. `before` contains the counted values of the job before its end. */
    end(
      sequence: number,
      before: Omit<CountedJob, 'hidden' | 'ordinaryJobs' | 'ordinaryBytes'>,
    ): void {
      move({ ...before, hidden: 0, ordinaryJobs: 0, ordinaryBytes: 0 }, countedOf(sequence));
    },

    /** Runs `work`, which changes or removes these jobs, and updates the counts by the difference. */
    counting<T>(sequences: readonly number[], work: () => T): T {
      const before = sequences.map((sequence) => [sequence, countedOf(sequence)] as const);
      const done = work();
      for (const [sequence, row] of before) if (row) move(row, countedOf(sequence));
      return done;
    },

    /**
     * Returns the jobs to which the images of this job are attributed if this job is removed. A shared image is attributed to
     * the newest job that uses the image.
     */
    previousUsers: (sequence: number): readonly number[] =>
      v.parse(v.array(Sequence), previousUsers.all(sequence)).filter((user) => user !== null),

    /** Returns the jobs to which these images are attributed now. */
    lastUsers(sha256s: readonly string[]): readonly number[] {
      const users = sha256s.map((sha256) => v.parse(Sequence, lastUser.get(sha256)));
      return [...new Set(users)].filter((user) => user !== null);
    },
  };
}

/** A queued job. `provider` is the first provider of its plan. */
type AddedJob = Pick<CountedJob, 'scope' | 'provider' | 'bytes' | 'reserved'> & {
  readonly sequence: number;
};
