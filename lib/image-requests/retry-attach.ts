import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { IdempotentReply } from '../idempotency/idempotency.ts';
import { isUnknownOutcome, toReplayedError } from '../idempotency/replayed-error.ts';
import { abortable } from '../platform/abortable.ts';
import type { Clock } from '../platform/clock.ts';
import type { DetachedRun, DetachedRuns } from '../runs/detached-runs.ts';
import type { Operation } from '../runs/image-operation.ts';

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  readonly detached: DetachedRuns;
}

/** A request of an official client. */
export interface Attempt {
  readonly scope: string;
  readonly fingerprint: string;
  /** How often its client has sent it before. */
  readonly retryCount: number;
}

/** Work that its clients may leave and come back to. */
interface Attached<T> {
  readonly place: string;
  waiting: number;
  hasEnded: boolean;
  /** Tells who waits for a client that one has come. */
  wake: () => void;
  stopLinger: () => void;
  run: DetachedRun<T> | undefined;
}

export type RetryAttach<T> = ReturnType<typeof createRetryAttach<T>>;

/** The official clients wait at most 8 s before they send a request again. */
const LINGER_MS = 10_000;

/**
 * Lets work live on for a moment after its last client has left, so that the client's own retry finds it (contract.md 13).
 * What was made meanwhile belongs to nobody until somebody comes for it, and nothing of it stays when nobody does.
 */
export function createRetryAttach<T>({ clock, detached }: Deps) {
  const attachable = new Map<string, Set<Attached<T>>>();
  let isStopping = false;

  function find({ scope, fingerprint, retryCount }: Attempt): Attached<T> | undefined {
    if (retryCount === 0) return undefined;
    const candidates = [...(attachable.get(toPlace(scope, fingerprint)) ?? [])];
    // A client may be back before its old connection is known to be gone: then any equal one is meant.
    return candidates.find(({ waiting }) => waiting === 0) ?? candidates[0];
  }

  function start<R>({ scope, fingerprint }: Attempt, operation: Operation<R, T>): Attached<T> {
    const place = toPlace(scope, fingerprint);
    const attached: Attached<T> = {
      ...{ place, waiting: 0, hasEnded: false, run: undefined },
      ...{ wake: () => {}, stopLinger: () => {} },
    };
    const siblings = attachable.get(place) ?? new Set();
    attachable.set(place, siblings.add(attached));
    attached.run = detached.run((signal) =>
      live(operation, attached, signal).finally(() => end(attached)),
    );
    return attached;
  }

  /** Nobody finds it any more. */
  function end(attached: Attached<T>): void {
    attached.hasEnded = true;
    attached.stopLinger();
    const siblings = attachable.get(attached.place);
    siblings?.delete(attached);
    if (siblings?.size === 0) attachable.delete(attached.place);
  }

  function giveUp(attached: Attached<T>, reason: BridgeError): void {
    end(attached);
    attached.run?.cancel(reason);
  }

  function arrive(attached: Attached<T>): void {
    attached.waiting += 1;
    attached.stopLinger();
    attached.wake();
  }

  function leave(attached: Attached<T>, reason: unknown): void {
    attached.waiting -= 1;
    if (attached.waiting > 0 || attached.hasEnded) return;
    if (isStopping) giveUp(attached, toBridgeError(reason));
    else {
      attached.stopLinger = clock.after(LINGER_MS, () => giveUp(attached, toBridgeError(reason)));
    }
  }

  return {
    /**
     * The result of `operation`, or of an equal one that a retry finds. A client that leaves is rejected with its
     * signal's reason; the work goes on while another client waits for it, and 10 s longer. Throws what `operation` throws.
     */
    async answer<R>(
      attempt: Attempt,
      operation: Operation<R, T>,
      client: AbortSignal,
    ): Promise<IdempotentReply<T>> {
      client.throwIfAborted();
      const found = find(attempt);
      const attached = found ?? start(attempt, operation);
      arrive(attached);
      try {
        const value = await abortable(outcomeOf(attached), client);
        return { value, replayed: found !== undefined };
      } catch (thrown) {
        throw found && !client.aborted ? toReplayedError(toBridgeError(thrown)) : thrown;
      } finally {
        leave(attached, client.reason);
      }
    },

    /** From now on nobody can come back: what has no client ends at once. */
    stopLingering(): void {
      isStopping = true;
      const all = [...attachable.values()].flatMap((siblings) => [...siblings]);
      for (const attached of all) {
        if (attached.waiting === 0) giveUp(attached, gone());
      }
    },

    size: () => attachable.size,
  };
}

async function live<R, T>(
  operation: Operation<R, T>,
  attached: Attached<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    const made = await operation.run(signal);
    if (!(await isWanted(attached, signal))) {
      await operation.drop(made, toBridgeError(signal.reason));
      throw signal.reason;
    }
    const value = await operation.keep(made);
    // The last client may have left while it was kept; it can still come back.
    await isWanted(attached, signal);
    return value;
  } catch (thrown) {
    const error = toBridgeError(thrown);
    // A retry must hear of it: the image may have been paid for.
    if (isUnknownOutcome(error)) await isWanted(attached, signal);
    throw error;
  }
}

/** Waits for a client when there is none; false when the work has been given up. */
function isWanted<T>(attached: Attached<T>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted || attached.waiting > 0) return Promise.resolve(!signal.aborted);
  return new Promise((resolve) => {
    const quit = () => resolve(false);
    signal.addEventListener('abort', quit, { once: true });
    attached.wake = () => {
      signal.removeEventListener('abort', quit);
      resolve(true);
    };
  });
}

function outcomeOf<T>({ run }: Attached<T>): Promise<T> {
  return run?.outcome ?? Promise.reject(gone());
}

function gone(): BridgeError {
  return new BridgeError('cancelled', 'the client has left');
}

function toPlace(scope: string, fingerprint: string): string {
  return `${fingerprint}:${scope}`;
}
