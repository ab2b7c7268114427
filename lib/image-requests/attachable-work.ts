import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { memoryBytes } from '../idempotency/memory-size.ts';
import type { Clock } from '../platform/clock.ts';
import type { DetachedRun, DetachedRuns } from '../runs/detached-runs.ts';
import { createLingering } from './lingering.ts';

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  readonly detached: DetachedRuns;
}

/** Makes an outcome. `hasClient` waits for a client that there may be a result for; false when none comes. */
export type Work<T> = (signal: AbortSignal, hasClient: () => Promise<boolean>) => Promise<T>;

/** Equal requests of one scope. */
export interface WorkKey {
  readonly scope: string;
  readonly fingerprint: string;
}

/** Work that retries can attach to. */
export interface Attachable<T> {
  readonly key: WorkKey;
  /** True once a reply with the outcome has been written in full to one client. */
  isReplied: boolean;
  /** The number of clients that wait for the outcome or whose reply is still being written. */
  clients: number;
  /** True once retries can no longer find the work. */
  isForgotten: boolean;
  /** Memory of the outcome; 0 until there is one. */
  bytes: number;
  /** Resumes work that waits for a client. */
  wake: () => void;
  stopLinger: () => void;
  run: DetachedRun<T> | undefined;
}

/** How a client detaches: with its reply written in full, or disconnected. */
type Detachment = 'replied' | BridgeError;

/** The official clients wait at most 8 s before they send a request again. */
const LINGER_MS = 10_000;
/** Bounds the outcomes whose replies were written in full. The retry of a reset connection follows within a second. */
const MAX_REPLIED_BYTES = 64 * 1024 * 1024;

/**
 * Keeps work by its key as long as a retry may find it. A retryable failure is forgotten at once: the retry that was asked
 * for starts anew, although the outcome of an equal request may still be there.
 */
export function createAttachableWork<T>({ clock, detached }: Deps) {
  const attachable = createIndex<Attachable<T>>();
  const replied = createLingering<Attachable<T>>(MAX_REPLIED_BYTES);
  const owed = createOwedRetries(clock);
  let isStopping = false;

  function forget(work: Attachable<T>): void {
    work.isForgotten = true;
    work.stopLinger();
    replied.delete(work);
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
    if (isStopping) {
      end();
      return;
    }
    work.stopLinger = clock.after(LINGER_MS, end);
    if (work.isReplied) for (const evicted of replied.add(work)) forget(evicted);
  }

  return {
    /** The work that a retry means; undefined if the retry has to start anew. */
    find(key: WorkKey): Attachable<T> | undefined {
      const candidates = attachable.at(key);
      const missed = candidates.filter(({ isReplied }) => !isReplied);
      // A client may be back before its old connection is known to be closed: then any equal one is meant.
      const found = missed.find(({ clients }) => clients === 0) ?? missed[0];
      if (found) return found;
      // Without a failure to repeat, the client never received the reply that was written.
      return owed.take(key) ? undefined : candidates[0];
    },

    start(key: WorkKey, make: Work<T>): Attachable<T> {
      const work = newAttachable<T>(key);
      attachable.add(work);
      work.run = detached.run(async (signal) => {
        try {
          const outcome = await make(signal, () => hasClient(work, signal));
          work.bytes = memoryBytes(outcome);
          return outcome;
        } catch (thrown) {
          // All other failures may have been paid for, or would only fail again.
          if (toBridgeError(thrown).retryable) {
            forget(work);
            if (!isStopping) owed.add(key, LINGER_MS);
          }
          throw thrown;
        }
      });
      return work;
    },

    /** Returns how the client detaches again: the first call counts. */
    attach(work: Attachable<T>): (how: Detachment) => void {
      let isAttached = true;
      work.clients += 1;
      work.stopLinger();
      replied.delete(work);
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
      owed.clear();
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

function newAttachable<T>(key: WorkKey): Attachable<T> {
  return {
    key,
    isReplied: false,
    clients: 0,
    isForgotten: false,
    bytes: 0,
    wake: () => {},
    stopLinger: () => {},
    run: undefined,
  };
}

function toText({ scope, fingerprint }: WorkKey): string {
  return `${fingerprint}:${scope}`;
}

/** Several items under one key. */
function createIndex<W extends { readonly key: WorkKey }>() {
  const byKey = new Map<string, Set<W>>();
  return {
    at: (key: WorkKey): readonly W[] => [...(byKey.get(toText(key)) ?? [])],
    all: (): readonly W[] => [...byKey.values()].flatMap((items) => [...items]),
    size: () => byKey.size,
    add(item: W): void {
      const key = toText(item.key);
      byKey.set(key, (byKey.get(key) ?? new Set()).add(item));
    },
    delete(item: W): void {
      const key = toText(item.key);
      const items = byKey.get(key);
      items?.delete(item);
      if (items?.size === 0) byKey.delete(key);
    },
  };
}

/** Counts the failures of each key whose clients were asked to send the request again. */
function createOwedRetries(clock: Pick<Clock, 'after'>) {
  const byKey = new Map<string, Set<() => void>>();

  function remove(key: string, stop: () => void): void {
    stop();
    const stops = byKey.get(key);
    stops?.delete(stop);
    if (stops?.size === 0) byKey.delete(key);
  }

  return {
    add(of: WorkKey, forMs: number): void {
      const key = toText(of);
      const stop = clock.after(forMs, () => remove(key, stop));
      byKey.set(key, (byKey.get(key) ?? new Set()).add(stop));
    },
    /** True if there was one, which is counted no more. */
    take(of: WorkKey): boolean {
      const key = toText(of);
      const [stop] = byKey.get(key) ?? [];
      if (stop) remove(key, stop);
      return stop !== undefined;
    },
    clear(): void {
      for (const stops of byKey.values()) for (const stop of stops) stop();
      byKey.clear();
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
