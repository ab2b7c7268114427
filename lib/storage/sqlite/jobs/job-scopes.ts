import * as v from 'valibot';
import type { StoreDatabase } from '../database.ts';

// Most scopes that add a job have a queued job already. Their turn does not change.
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
const COUNT_CLAIM = 'UPDATE queue SET claims = claims + 1 RETURNING claims';
const TAKE_TURN = 'UPDATE job_scope SET turn = ?, queued = queued - 1 WHERE scope = ?';
const LEAVE_QUEUE = 'UPDATE job_scope SET queued = 0 WHERE scope = ?';
const COUNTED = `
  SELECT
    scope, status = 'queued' AS queued, bytes + reserved AS held,
    completed IS NOT NULL AND favorite = 0 AS jobs,
    (completed IS NOT NULL AND favorite = 0) * (bytes + (
      SELECT coalesce(sum(bytes), 0) FROM job_input AS own
      WHERE seq = job.seq AND NOT EXISTS (
        SELECT 1 FROM job_input WHERE sha256 = own.sha256 AND seq > own.seq
      )
    )) AS bytes
  FROM job WHERE seq = ?`;
const CHANGE = `
  UPDATE job_scope SET
    queued = queued + @queued, held = held + @held,
    ordinary_jobs = ordinary_jobs + @jobs, ordinary_bytes = ordinary_bytes + @bytes
  WHERE scope = @scope`;
const FORGET = 'DELETE FROM job_scope WHERE scope = ? AND held = 0';
const PREVIOUS_USERS = `
  SELECT DISTINCT (
    SELECT max(seq) FROM job_input WHERE sha256 = own.sha256 AND seq < own.seq
  ) FROM job_input AS own WHERE seq = +?`;
const LAST_USER = 'SELECT max(seq) FROM job_input WHERE sha256 = +?';

const Scope = v.optional(v.string());
const Sequence = v.nullable(v.number());
const CountedRow = v.optional(
  v.object({
    scope: v.string(),
    queued: v.number(),
    held: v.number(),
    jobs: v.number(),
    bytes: v.number(),
  }),
);
type Counted = NonNullable<v.InferOutput<typeof CountedRow>>;

/** Maintains the counts and the turns of scopes, inside the transactions of the callers. */
export type JobScopes = ReturnType<typeof prepareJobScopes>;

export function prepareJobScopes(database: Pick<StoreDatabase, 'prepare'>) {
  const addToQueue = database.prepare(ADD_TO_QUEUE);
  const joinQueue = database.prepare(JOIN_QUEUE);
  const nextScope = database.prepare(NEXT_SCOPE).pluck();
  const countClaim = database.prepare(COUNT_CLAIM).pluck();
  const takeTurn = database.prepare(TAKE_TURN);
  const leaveQueue = database.prepare(LEAVE_QUEUE);
  const counted = database.prepare(COUNTED);
  const change = database.prepare(CHANGE);
  const forget = database.prepare(FORGET);
  const previousUsers = database.prepare(PREVIOUS_USERS).pluck();
  const lastUser = database.prepare(LAST_USER).pluck();

  const countedOf = (sequence: number) => v.parse(CountedRow, counted.get(sequence));

  /** Updates the counts of a scope by the difference that a changed job makes. */
  function note(before: Counted | undefined, after: Counted | undefined): void {
    const scope = (after ?? before)?.scope;
    if (scope === undefined) return;
    const moved = {
      queued: (after?.queued ?? 0) - (before?.queued ?? 0),
      held: (after?.held ?? 0) - (before?.held ?? 0),
      jobs: (after?.jobs ?? 0) - (before?.jobs ?? 0),
      bytes: (after?.bytes ?? 0) - (before?.bytes ?? 0),
    };
    if (Object.values(moved).every((difference) => difference === 0)) return;
    change.run({ scope, ...moved });
    if (after === undefined) forget.run(scope);
  }

  return {
    /** Counts a new queued job. With its first queued job, a scope begins to wait for its turn. */
    joinQueue(added: {
      readonly scope: string;
      readonly sequence: number;
      readonly held: number;
    }): void {
      if (addToQueue.run(added).changes === 0) joinQueue.run(added);
    },

    /** Returns the waiting scope with the oldest last claim. Undefined if no scope waits or the queue is paused. */
    nextScope: () => v.parse(Scope, nextScope.get()),

    /** Counts a claim, and puts the scope behind all other waiting scopes. */
    takeTurn: (scope: string): void => void takeTurn.run(countClaim.get(), scope),

    /** Sets the count of queued jobs to 0. Called if a scope has no queued job, because a wrong count must not block the queue. */
    leaveQueue: (scope: string): void => void leaveQueue.run(scope),

    /** Counts a job that has ended. `before` has its counts from before the end, when it was not in the history. */
    countEnd: (
      sequence: number,
      before: { readonly scope: string; readonly queued: number; readonly held: number },
    ): void => note({ ...before, jobs: 0, bytes: 0 }, countedOf(sequence)),

    /** Runs work that changes or removes these jobs, and updates the counts by the difference. */
    counting<T>(sequences: readonly number[], work: () => T): T {
      const before = sequences.map((sequence) => [sequence, countedOf(sequence)] as const);
      const done = work();
      for (const [sequence, row] of before) note(row, countedOf(sequence));
      return done;
    },

    /**
     * Returns the jobs to which images of this job are counted if this job is removed. A shared image is counted to the newest job
     * that uses it.
     */
    previousUsers: (sequence: number): readonly number[] =>
      v.parse(v.array(Sequence), previousUsers.all(sequence)).filter((user) => user !== null),

    /** Returns the jobs to which these images are counted now. */
    lastUsers(sha256s: readonly string[]): readonly number[] {
      const users = sha256s.map((sha256) => v.parse(Sequence, lastUser.get(sha256)));
      return [...new Set(users)].filter((user) => user !== null);
    },
  };
}
