import type { RequestContext } from '../contract/request/request-context.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { IdempotentReply } from '../idempotency/idempotency.ts';
import { isUnknownOutcome, toReplayedError } from '../idempotency/replayed-error.ts';
import { abortable } from '../platform/abortable.ts';
import type { Clock } from '../platform/clock.ts';
import type { DetachedRun, DetachedRuns } from '../runs/detached-runs.ts';
import type { Run } from '../runs/image-run.ts';

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

/** Work that retries can attach to. */
interface Attachable<T> {
  readonly key: string;
  /** Those that wait for the outcome, and those whose reply is still being written. */
  clients: number;
  /** Retries can no longer find it. */
  isForgotten: boolean;
  /** Resumes work that waits for a client. */
  wake: () => void;
  stopLinger: () => void;
  run: DetachedRun<T> | undefined;
}

/** What is needed of the request of one client. */
type Client = Pick<RequestContext, 'signal' | 'onReplied'>;

/** The official clients wait at most 8 s before they send a request again. */
const LINGER_MS = 10_000;

/**
 * Keeps work attachable until its reply has been written in full, and for 10 s after its last client has disconnected, so
 * that the client's own retry finds it (contract.md 13). A result without a client is not committed before a retry attaches,
 * and is discarded when none does.
 */
export function createRetryAttach<T>({ clock, detached }: Deps) {
  const attachable = createIndex<Attachable<T>>();
  let isStopping = false;

  function find({ scope, fingerprint, retryCount }: Attempt): Attachable<T> | undefined {
    if (retryCount === 0) return undefined;
    const candidates = attachable.at(toKey(scope, fingerprint));
    // A client may be back before its old connection is known to be closed: then any equal one is meant.
    return candidates.find(({ clients }) => clients === 0) ?? candidates[0];
  }

  function start<M>({ scope, fingerprint }: Attempt, run: Run<M, T>): Attachable<T> {
    const work = newAttachable<T>(toKey(scope, fingerprint));
    attachable.add(work);
    work.run = detached.run((signal) =>
      runForClients(run, work, signal).catch((thrown) => {
        // A retry may repeat a failure of known outcome; an unknown one was perhaps paid for.
        if (!isUnknownOutcome(toBridgeError(thrown))) forget(work);
        throw thrown;
      }),
    );
    return work;
  }

  function forget(work: Attachable<T>): void {
    work.isForgotten = true;
    work.stopLinger();
    attachable.delete(work);
  }

  function abandon(work: Attachable<T>, reason: BridgeError): void {
    forget(work);
    work.run?.cancel(reason);
  }

  /** Returns how the client detaches again: the first call counts. */
  function attach(work: Attachable<T>): (reason: BridgeError | undefined) => void {
    let isAttached = true;
    work.clients += 1;
    work.stopLinger();
    work.wake();
    return (reason) => {
      if (isAttached) detach(work, reason);
      isAttached = false;
    };
  }

  /** With the reason why the client disconnected; undefined when it has its reply in full. */
  function detach(work: Attachable<T>, reason: BridgeError | undefined): void {
    work.clients -= 1;
    if (work.clients > 0 || work.isForgotten) return;
    if (reason === undefined) forget(work);
    else if (isStopping) abandon(work, reason);
    else work.stopLinger = clock.after(LINGER_MS, () => abandon(work, reason));
  }

  return {
    /**
     * The result of `run`, or of an equal one that a retry finds. A client that disconnects is rejected with its
     * signal's reason; the work runs on while another client waits for it, and 10 s longer. Throws what `run` throws.
     */
    async reply<M>(attempt: Attempt, run: Run<M, T>, client: Client): Promise<IdempotentReply<T>> {
      const signal = client.signal();
      signal.throwIfAborted();
      const found = find(attempt);
      const work = found ?? start(attempt, run);
      const detachOnce = attach(work);
      client.onReplied((isComplete) => detachOnce(isComplete ? undefined : reasonOf(signal)));
      try {
        const value = await abortable(outcomeOf(work), signal);
        return { value, replayed: found !== undefined };
      } catch (thrown) {
        if (signal.aborted) detachOnce(reasonOf(signal));
        throw found && !signal.aborted ? toReplayedError(toBridgeError(thrown)) : thrown;
      }
    },

    /** From now on no retry can attach: work without a client ends at once. */
    stopLingering(): void {
      isStopping = true;
      for (const work of attachable.all()) {
        if (work.clients === 0) abandon(work, disconnected());
      }
    },

    size: attachable.size,
  };
}

function newAttachable<T>(key: string): Attachable<T> {
  return {
    key,
    clients: 0,
    isForgotten: false,
    wake: () => {},
    stopLinger: () => {},
    run: undefined,
  };
}

/** Several items under one key. */
function createIndex<W extends { readonly key: string }>() {
  const byKey = new Map<string, Set<W>>();
  return {
    at: (key: string): readonly W[] => [...(byKey.get(key) ?? [])],
    all: (): readonly W[] => [...byKey.values()].flatMap((items) => [...items]),
    size: () => byKey.size,
    add(item: W): void {
      byKey.set(item.key, (byKey.get(item.key) ?? new Set()).add(item));
    },
    delete(item: W): void {
      const items = byKey.get(item.key);
      items?.delete(item);
      if (items?.size === 0) byKey.delete(item.key);
    },
  };
}

/** Makes the result, and commits it once a client is there for it. */
async function runForClients<M, T>(
  run: Run<M, T>,
  work: Attachable<T>,
  signal: AbortSignal,
): Promise<T> {
  const made = await run.make(signal);
  if (await hasClient(work, signal)) return run.commit(made);
  throw await run.discard(made, signal.reason);
}

/** Waits for a client when there is none; false when the work has been abandoned. */
function hasClient<T>(work: Attachable<T>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted || work.clients > 0) return Promise.resolve(!signal.aborted);
  return new Promise((resolve) => {
    const quit = () => resolve(false);
    signal.addEventListener('abort', quit, { once: true });
    work.wake = () => {
      signal.removeEventListener('abort', quit);
      resolve(true);
    };
  });
}

function outcomeOf<T>({ run }: Attachable<T>): Promise<T> {
  return run?.outcome ?? Promise.reject(disconnected());
}

function reasonOf(signal: AbortSignal): BridgeError {
  return signal.aborted ? toBridgeError(signal.reason) : disconnected();
}

function disconnected(): BridgeError {
  return new BridgeError('cancelled', 'the client has disconnected');
}

function toKey(scope: string, fingerprint: string): string {
  return `${fingerprint}:${scope}`;
}
