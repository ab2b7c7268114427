import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { isUnknownOutcome } from '../idempotency/replayed-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { DetachedRun, DetachedRuns } from '../runs/detached-runs.ts';

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  readonly detached: DetachedRuns;
}

/** Makes an outcome. `hasClient` waits for a client that there may be a result for; false when none comes. */
export type Work<T> = (signal: AbortSignal, hasClient: () => Promise<boolean>) => Promise<T>;

/** Work that retries can attach to. */
export interface Attachable<T> {
  readonly key: string;
  /** A client has its reply in full, and others may still find the outcome. */
  isReplied: boolean;
  /** Those that wait for the outcome, and those whose reply is still being written. */
  clients: number;
  /** Retries can no longer find it. */
  isForgotten: boolean;
  /** Resumes work that waits for a client. */
  wake: () => void;
  stopLinger: () => void;
  run: DetachedRun<T> | undefined;
}

/** How a client detaches: with its last reply in full, with one after which there is more to get, or disconnected. */
type Detachment = 'final' | 'replied' | BridgeError;

/** The official clients wait at most 8 s before they send a request again. */
const LINGER_MS = 10_000;

/** Work by its key, as long as a retry may find it. A failure of known outcome is forgotten at once. */
export function createAttachableWork<T>({ clock, detached }: Deps) {
  const attachable = createIndex<Attachable<T>>();
  let isStopping = false;

  function forget(work: Attachable<T>): void {
    work.isForgotten = true;
    work.stopLinger();
    attachable.delete(work);
  }

  function abandon(work: Attachable<T>, reason: BridgeError): void {
    forget(work);
    work.run?.cancel(reason);
  }

  function detach(work: Attachable<T>, how: Detachment): void {
    work.clients -= 1;
    if (how === 'replied') work.isReplied = true;
    if (work.clients > 0 || work.isForgotten) return;
    const end = () => abandon(work, how instanceof BridgeError ? how : disconnected());
    if (how === 'final') forget(work);
    else if (isStopping) end();
    else work.stopLinger = clock.after(LINGER_MS, end);
  }

  return {
    find(key: string): Attachable<T> | undefined {
      const candidates = attachable.at(key);
      const missed = candidates.filter(({ isReplied }) => !isReplied);
      // A client may be back before its old connection is known to be closed: then any equal one is meant.
      return missed.find(({ clients }) => clients === 0) ?? missed[0] ?? candidates[0];
    },

    start(key: string, make: Work<T>): Attachable<T> {
      const work = newAttachable<T>(key);
      attachable.add(work);
      work.run = detached.run((signal) =>
        make(signal, () => hasClient(work, signal)).catch((thrown) => {
          // A retry may repeat a failure of known outcome; an unknown one was perhaps paid for.
          if (!isUnknownOutcome(toBridgeError(thrown))) forget(work);
          throw thrown;
        }),
      );
      return work;
    },

    /** Returns how the client detaches again: the first call counts. */
    attach(work: Attachable<T>): (how: Detachment) => void {
      let isAttached = true;
      work.clients += 1;
      work.stopLinger();
      work.wake();
      return (how) => {
        if (isAttached) detach(work, how);
        isAttached = false;
      };
    },

    forget,

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

export function disconnected(): BridgeError {
  return new BridgeError('cancelled', 'the client has disconnected');
}

function newAttachable<T>(key: string): Attachable<T> {
  return {
    key,
    isReplied: false,
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
