import type { Amount } from '../../../contract/reply/cost.ts';
import { inputsOf } from '../../../contract/resources/job.ts';
import type { JobAdmission, JobRecord, NewJob } from '../../../jobs/job-store-port.ts';
import { refuseDifferent } from '../../../replay/replay-store-port.ts';
import { refuseBeyondAllowance } from '../../allowance.ts';
import { periodsOf, refuseBeyondBudget } from '../../budgets.ts';
import { refuseBeyondLimits } from '../../jobs/job-limits.ts';
import { queuedJob } from '../../jobs/new-job.ts';
import { refuseStaleImages } from '../../storing-period.ts';

/** A request to accept a job. */
export interface Submission {
  readonly job: NewJob;
  readonly admission: JobAdmission;
  /** The request in JSON. */
  readonly text: string;
  readonly bytes: number;
}

/** The answer to one submission. An error rejects that submission alone. */
export type Answer =
  | { readonly job: JobRecord; readonly repeated: boolean }
  | { readonly error: unknown };

/** A job that was accepted before. */
export interface EarlierJob {
  /** Absent if the request had no key. */
  readonly key: JobAdmission['key'] | undefined;
  readonly job: JobRecord;
}

/** The counts of a scope. */
export interface ScopeCounts {
  readonly scope: string;
  readonly queued: number;
  readonly held: number;
  readonly turn: number;
  readonly changes: number;
}

/** The images that are charged to a token on a day. */
export interface Charge {
  readonly token: string;
  readonly day: number;
  readonly images: number;
}

/** The money that is spent or reserved in a period. */
export interface Spending {
  readonly token: string;
  readonly period: string;
  readonly amount: number | Amount;
}

/** The counts that limit submissions. Every scope and every charge of the group has a row. */
export interface LockedCounts {
  readonly scopes: readonly ScopeCounts[];
  readonly charges: readonly Charge[];
  /** The spending of the tokens with a budget. */
  readonly spending: readonly Spending[];
  readonly total: { readonly queued: number; readonly held: number; readonly lastSequence: number };
}

/** The counts of all scopes. */
export interface AllScopes {
  /** The lowest turn of the scopes with queued jobs. Undefined if no job is queued. */
  readonly lowestTurn: number | undefined;
  readonly queuingScopes: number;
  readonly holdingScopes: number;
}

interface State extends LockedCounts {
  /** Undefined if `needsAllScopes` returns false. */
  readonly all: AllScopes | undefined;
  /** The jobs that were accepted with the ids or under the keys of the group. */
  readonly earlier: readonly EarlierJob[];
  /** The time by the clock of this replica, in Unix milliseconds. Undefined if no job of the group has stored images. */
  readonly nowMs: number | undefined;
}

/** An accepted job, with its number and the number of its change. */
export interface AcceptedJob extends Submission {
  readonly sequence: number;
  readonly change: number;
}

/** The answers to a group, and the new values of the counts. */
export interface Decisions {
  readonly answers: readonly Answer[];
  readonly accepted: readonly AcceptedJob[];
  /** All locked scopes. `joined` is the number of the first queued job of a scope that had none. */
  readonly scopes: readonly (ScopeCounts & { readonly joined: number | undefined })[];
  readonly charges: readonly Charge[];
  readonly spending: readonly Spending[];
}

/**
 * Returns true if a decision about the group needs the counts of all scopes: if a scope begins to wait for its turn, or if a limit
 * is so near that the shares of the scopes matter.
 */
export function needsAllScopes(
  group: readonly Submission[],
  { scopes, total }: LockedCounts,
): boolean {
  const more = group.reduce((sum, { job, bytes }) => sum + bytes + job.reservedBytes, 0);
  const isNear = ({ maxPending, maxDatabaseBytes }: JobAdmission) =>
    total.queued + group.length > unreserved(maxPending) ||
    total.held + more > unreserved(maxDatabaseBytes);
  return scopes.some(({ queued }) => queued === 0) || group.some((one) => isNear(one.admission));
}

/** Returns the part of a limit that every scope may use (`checkRoom`). */
function unreserved(limit: number): number {
  return limit - Math.floor(limit / 10);
}

/** Accepts or rejects the submissions of a group in order, each as if the accepted submissions before it were already stored. */
export function decide(group: readonly Submission[], state: State): Decisions {
  const scopes = new Map(state.scopes.map((counts) => [counts.scope, counts]));
  const charges = new Map(state.charges.map((charge) => [chargeKey(charge), charge]));
  const spending = createSpending(state.spending);
  const joined = new Map<string, number>();
  const earlier = indexOf(state.earlier);
  const accepted: AcceptedJob[] = [];
  let { queued, held, lastSequence } = state.total;
  let { lowestTurn, queuingScopes, holdingScopes } = state.all ?? NO_SCOPES;

  function accept(submission: Submission): Answer {
    const { job, bytes, admission } = submission;
    const { key, reservation, ...limits } = admission;
    const same = earlier.find(job);
    if (same) return { job: same, repeated: false };
    const known = key && earlier.findByKey(key);
    if (known) return { job: known, repeated: true };
    if (state.nowMs !== undefined) refuseStaleImages(admission, state.nowMs);
    const { token, day } = reservation;
    const own = scopes.get(job.scope) ?? { ...NEW_SCOPE, scope: job.scope };
    const charge = charges.get(chargeKey(reservation)) ?? { token, day, images: 0 };
    const needed = bytes + job.reservedBytes;
    refuseBeyondAllowance(reservation, charge.images, reservation.images);
    refuseBeyondLimits(
      limits,
      {
        queued,
        held,
        ownQueued: own.queued,
        ownHeld: own.held,
        queuingScopes: () => queuingScopes + Number(own.queued === 0),
        holdingScopes: () => holdingScopes + Number(own.held === 0),
      },
      needed,
    );
    spending.reserve(reservation);

    queued += 1;
    held += needed;
    lastSequence += 1;
    queuingScopes += Number(own.queued === 0);
    holdingScopes += Number(own.held === 0);
    if (own.queued === 0) joined.set(job.scope, lastSequence);
    // A scope that begins to wait has its turn with the scopes that have waited longest, unless its last claim is more recent.
    const turn = own.queued === 0 ? Math.max(own.turn, lowestTurn ?? 0) : own.turn;
    lowestTurn = Math.min(lowestTurn ?? turn, turn);
    const change = own.changes + 1;
    // A retry changes the earlier job too, which gets the next number.
    const changes = job.retryOf === undefined ? change : change + 1;
    const counts = { queued: own.queued + 1, held: own.held + needed, turn, changes };
    scopes.set(job.scope, { scope: job.scope, ...counts });
    charges.set(chargeKey(charge), { ...charge, images: charge.images + reservation.images });
    accepted.push({ ...submission, sequence: lastSequence, change });
    const record = queuedJob(lastSequence, job, token);
    earlier.add({ key, job: record });
    return { job: record, repeated: false };
  }

  const answers = group.map((submission): Answer => {
    try {
      return accept(submission);
    } catch (error) {
      return { error };
    }
  });
  return {
    answers,
    accepted,
    scopes: [...scopes.values()].map((one) => ({ ...one, joined: joined.get(one.scope) })),
    charges: [...charges.values()],
    spending: spending.all(),
  };
}

/** Keeps the spending of the tokens with a budget. */
function createSpending(locked: readonly Spending[]) {
  const keyOf = ({ token, period }: Pick<Spending, 'token' | 'period'>) => `${period} ${token}`;
  const rows = new Map(locked.map((row) => [keyOf(row), { ...row, amount: BigInt(row.amount) }]));
  return {
    /** Adds the amount of a reservation. Throws `rate_limited` if a budget would be exceeded. */
    reserve(reservation: JobAdmission['reservation']): void {
      const { token, budget } = reservation;
      if (budget === undefined) return;
      const own = periodsOf(reservation).map((period) => ({ token, period, amount: 0n }));
      const found = own.map((row) => rows.get(keyOf(row)) ?? row);
      const [day, month] = found.map(({ amount }) => amount);
      refuseBeyondBudget(
        { ...reservation, ...budget },
        { day: day ?? 0n, month: month ?? 0n },
        budget.held,
      );
      for (const row of found) rows.set(keyOf(row), { ...row, amount: row.amount + budget.held });
    },
    all: (): readonly Spending[] => [...rows.values()],
  };
}

/** Indexes accepted jobs by their ids and by their keys. */
function indexOf(jobs: readonly EarlierJob[]) {
  const byId = new Map<string, JobRecord>();
  const byKey = new Map<string, { readonly fingerprint: string; readonly job: JobRecord }>();

  function add({ key, job }: EarlierJob): void {
    byId.set(idKey(job), job);
    if (key) byKey.set(key.hash, { fingerprint: key.fingerprint, job });
  }

  for (const one of jobs) add(one);
  return {
    add,
    find: (job: Pick<NewJob, 'id' | 'scope'>): JobRecord | undefined => byId.get(idKey(job)),
    /** Throws `idempotency_conflict` if the job under this key has another fingerprint. */
    findByKey(key: NonNullable<JobAdmission['key']>): JobRecord | undefined {
      const known = byKey.get(key.hash);
      if (known) refuseDifferent(known, key);
      return known?.job;
    },
  };
}

function idKey({ id, scope }: Pick<NewJob, 'id' | 'scope'>): string {
  return `${id} ${scope}`;
}

const NO_SCOPES: AllScopes = { lowestTurn: undefined, queuingScopes: 0, holdingScopes: 0 };

const NEW_SCOPE = { queued: 0, held: 0, turn: 0, changes: 0 } as const;

function chargeKey({ token, day }: Pick<Charge, 'token' | 'day'>): string {
  return `${day} ${token}`;
}

/** Returns the SHA-256 of the images of a job. */
export function sha256sOf({ request }: Pick<NewJob, 'request'>): readonly string[] {
  return inputsOf(request).map(({ sha256 }) => sha256);
}
