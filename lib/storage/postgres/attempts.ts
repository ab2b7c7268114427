import { type Clock, stayAwake } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { CommitMarker } from './commit-markers.ts';
import { isConflict, isLost } from './driver-errors.ts';
import type { Outcome } from './transaction.ts';

/** A write that may be repeated. */
export interface Attempt<T> {
  /**
   * Runs the write as `Postgres.write` does. If the outcome of the run before is unknown, first asks for that outcome. If that run was
   * committed, resolves with its value and runs nothing.
   */
  run(): Promise<T>;
  /**
   * Resolves with the value of a run that rejected although it was committed, or with undefined if every run was undone. Rejects with
   * `overloaded` while the outcome is unknown.
   */
  findLost(): Promise<{ readonly value: T } | undefined>;
  /** Returns true if the last run rejected and its outcome was unknown at that time. */
  mayBeCommitted(): boolean;
}

/** The outcome of a transaction, with its mark. */
export type MarkedOutcome<T> = Outcome<T> & { readonly marker: CommitMarker };

/** A transaction whose outcome was unknown when its caller was answered. */
interface Lost<T> {
  readonly status: Outcome<T>['status'];
  readonly value: T;
  readonly error: unknown;
  readonly marker: CommitMarker;
}

interface Deps {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newFraction'>;
  /** Asks the server for the outcome of a transaction. */
  readonly lookUp: (marker: CommitMarker) => Promise<Outcome<unknown>['status']>;
}

const MAX_TURNS = 6;
const FIRST_PAUSE_MS = 5;

/** Creates the function that makes attempts of transactions. A transaction is repeated after a conflict or a lost connection. */
export function createAttempts({ clock, ids, lookUp }: Deps) {
  return <T>(transact: () => Promise<MarkedOutcome<T>>): Attempt<T> => {
    let lost: Lost<T> | undefined;

    async function findLost(): Promise<{ readonly value: T } | undefined> {
      if (lost?.status === 'unknown') {
        lost = { ...lost, status: await lookUp(lost.marker) };
        if (lost.status === 'unknown') throw lost.error;
      }
      return lost?.status === 'committed' ? lost : undefined;
    }

    return {
      findLost,
      mayBeCommitted: () => lost?.status === 'unknown',
      async run() {
        const earlier = lost && (await findLost());
        if (earlier) return earlier.value;
        for (let turn = 1; ; turn += 1) {
          const outcome = await transact();
          if (outcome.status === 'committed') return outcome.value;
          if (outcome.status === 'unknown') lost = outcome;
          if (turn === MAX_TURNS || !mayRepeat(outcome)) throw outcome.error;
          await pause(clock, FIRST_PAUSE_MS * 2 ** turn * ids.newFraction());
        }
      },
    };
  };
}

/** Runs an attempt. If it rejects, passes `undoLater` a function that undoes the attempt if the attempt was committed. */
export async function runOrUndo<T>(
  { run, findLost }: Attempt<T>,
  undo: (value: T) => Promise<unknown>,
  undoLater: (write: () => Promise<void>) => Promise<void>,
): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    void undoLater(async () => {
      const lost = await findLost();
      if (lost) await undo(lost.value);
    });
    throw thrown;
  }
}

/** Returns true if the transaction changed nothing and may succeed if it is repeated. */
function mayRepeat({ status, error }: Exclude<Outcome<unknown>, { status: 'committed' }>): boolean {
  return status === 'undone' && (isConflict(error) || isLost(error));
}

/** Waits, and keeps the process alive meanwhile, because a lost connection no longer does. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  const sleepAgain = stayAwake();
  return new Promise((resolve) => {
    clock.after(delayMs, () => {
      sleepAgain();
      resolve();
    });
  });
}
