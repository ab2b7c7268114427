import type { RequestContext } from '../contract/request/request-context.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { type IdempotentReply, memoryBytes, toReplayedError } from '../idempotency/idempotency.ts';
import { abortable } from '../platform/abortable.ts';
import type { Clock } from '../platform/clock.ts';
import type { DetachedRun, DetachedRuns } from '../runs/detached-runs.ts';
import type { Run } from '../runs/image-run.ts';

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  readonly detached: DetachedRuns;
}

/** One sending of a request by an official client. */
export interface Attempt {
  readonly scope: string;
  readonly fingerprint: string;
  /** The number of times that the client has sent the request before. */
  readonly retryCount: number;
}

/** The parts of a client's request that attaching needs. */
type Client = Pick<RequestContext, 'signal' | 'onReplied'>;

/** Resolves with true if a retry must make the outcome again instead of attaching to this one. */
type IsStale<T> = (value: T) => Promise<boolean>;

const NEVER_STALE = async () => false;

/**
 * Attaches retries of a client to the work of its first request. Work stays attachable for 10 s after its reply has been written
 * or its last client has disconnected. The client may not have received a written reply, because the connection can be reset.
 */
export function createRetryAttach<T>(deps: Deps) {
  const works = createAttachableWork<T>(deps);

  /** Resolves with the outcome of `work`. The client counts as attached until its reply is written or it disconnects. */
  async function outcomeFor(
    work: Attachable<T>,
    { signal: clientSignal, onReplied }: Client,
  ): Promise<T> {
    const signal = clientSignal();
    const detach = works.attach(work);
    onReplied((isComplete) => detach(isComplete ? 'replied' : reasonOf(signal)));
    try {
      return await abortable(work.run?.outcome ?? Promise.reject(disconnected()), signal);
    } catch (thrown) {
      if (signal.aborted) detach(reasonOf(signal));
      throw thrown;
    }
  }

  return {
    /**
     * Resolves with the outcome of `make`, or of equal work that a retry finds. Rejects with the signal's reason if the client
     * disconnects. The work continues while another client waits for the outcome, and for 10 s after that. Throws what `make`
     * throws.
     */
    async reply(
      { scope, fingerprint, retryCount }: Attempt,
      make: Work<T>,
      client: Client,
      isStale: IsStale<T> = NEVER_STALE,
    ): Promise<IdempotentReply<T>> {
      const signal = client.signal();
      const key = { scope, fingerprint };
      for (;;) {
        signal.throwIfAborted();
        const found = retryCount === 0 ? undefined : works.find(key);
        if (!found) {
          const value = await outcomeFor(works.start(key, make), client);
          return { value, replayed: false };
        }
        const value = await outcomeFor(found, client).catch((thrown: unknown) => {
          throw signal.aborted ? thrown : toReplayedError(toBridgeError(thrown));
        });
        if (!(await isStale(value))) return { value, replayed: true };
        works.forget(found);
      }
    },

    stopLingering: works.stopLingering,
    size: works.size,
  };
}

/** Returns work that makes the result of a run and commits the result once a client is attached, or discards it if none comes. */
export function forClients<M, T>(run: Run<M, T>): Work<T> {
  return async (signal, hasClient) => {
    const made = await run.make(signal);
    if (await hasClient()) return run.commit(made);
    throw await run.discard(made, signal.reason);
  };
}

function reasonOf(signal: AbortSignal): BridgeError {
  return signal.aborted ? toBridgeError(signal.reason) : disconnected();
}

/**
 * Lets a client that retries a request without an idempotency key find the job that the request has created (`docs/contract.md`,
 * "Retry attach").
 */
export interface JobAttach {
  /** True if the client has sent the request before. */
  readonly isRetry: boolean;
  /**
   * Resolves with the id of the job that an equal request of the client has created or is creating. If there is none, resolves
   * with the id of the job that `accept` creates; `accept` continues when the client disconnects. A stale job is not found.
   */
  attach(
    fingerprint: string,
    accept: (signal: AbortSignal) => Promise<string>,
    isStale: (id: string) => Promise<boolean>,
  ): Promise<{ readonly value: string; readonly replayed: boolean }>;
}

/** Attaches retries of a client to the job that its first request has created. */
export function createAttachJob(deps: Deps) {
  const acceptances = createRetryAttach<string>(deps);
  return {
    /** Returns undefined for a client that does not count its retries. */
    attachFor(context: RequestContext): JobAttach | undefined {
      const retryCount = toRetryCount(context.retryCount);
      if (retryCount === undefined) return undefined;
      return {
        isRetry: retryCount > 0,
        attach(fingerprint, accept, isStale) {
          const attempt = { scope: context.scope, fingerprint, retryCount };
          return acceptances.reply(attempt, accept, context, isStale);
        },
      };
    },

    stopLingering: acceptances.stopLingering,
  };
}

/** Makes an outcome. `hasClient` resolves with true once a client is attached, and with false if none comes. */
type Work<T> = (signal: AbortSignal, hasClient: () => Promise<boolean>) => Promise<T>;

/** The key that equal requests of one scope share. */
interface WorkKey {
  readonly scope: string;
  readonly fingerprint: string;
}

/** Work that retries can attach to. */
interface Attachable<T> {
  readonly key: WorkKey;
  /** True once a reply with the outcome has been completely written to one client. */
  isReplied: boolean;
  /** The number of clients that wait for the outcome or whose reply is being written. */
  clients: number;
  /** True once retries can no longer find the work. */
  isForgotten: boolean;
  /** The memory size of the outcome. 0 until there is an outcome. */
  bytes: number;
  /** Resumes work that waits for a client. */
  wake: () => void;
  stopLinger: () => void;
  run: DetachedRun<T> | undefined;
}

/** The way in which a client detaches: its reply was completely written, or it disconnected. */
type Detachment = 'replied' | BridgeError;

/** Longer than the official clients wait before a retry, which is at most 8 s. */
const LINGER_MS = 10_000;
/** The limit for outcomes whose replies were completely written. The retry after a connection reset follows within a second. */
const MAX_REPLIED_BYTES = 64 * 1024 * 1024;

/**
 * Keeps work by its key as long as a retry may find it. Forgets a retryable failure at once, so that the retry starts new work
 * even if the outcome of an equal request is still kept.
 */
function createAttachableWork<T>({ clock, detached }: Deps) {
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
    /** Returns the work that a retry belongs to. Undefined if the retry has to start new work. */
    find(key: WorkKey): Attachable<T> | undefined {
      const candidates = attachable.at(key);
      const missed = candidates.filter(({ isReplied }) => !isReplied);
      // A client may retry before the close of its old connection is noticed. Then any equal work matches.
      const found = missed.find(({ clients }) => clients === 0) ?? missed[0];
      if (found) return found;
      // If no failed request awaits a retry, the client did not receive the reply that was written.
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
          // Other failures may have been paid for or would only fail again, so that a retry gets the same failure.
          if (toBridgeError(thrown).retryable) {
            forget(work);
            if (!isStopping) owed.add(key, LINGER_MS);
          }
          throw thrown;
        }
      });
      return work;
    },

    /** Attaches a client. Returns the function that detaches the client again; only its first call counts. */
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

    /** Ends work without a client at once, now and from now on. */
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

function disconnected(): BridgeError {
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

/** Creates an index that holds several items for each key. */
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

/** Counts, for each key, the retryable failures whose retry has not come yet. */
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
    /** Removes one failure. Returns true if there was one. */
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

/** Resolves with true once a client is attached, and with false if the work has been abandoned. */
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

interface Held {
  readonly key: { readonly scope: string };
  readonly bytes: number;
}

/**
 * Holds outcomes that no client waits for, up to `maxBytes` in total. Above that limit, evicts the largest outcome of the scope that
 * holds the most bytes; of equally large outcomes, the oldest.
 */
export function createLingering<O extends Held>(maxBytes: number) {
  const held = new Set<O>();
  let heldBytes = 0;

  function remove(outcome: O): void {
    if (held.delete(outcome)) heldBytes -= outcome.bytes;
  }

  return {
    /** Adds an outcome. Returns the evicted outcomes, which may include the new one. */
    add(outcome: O): readonly O[] {
      held.add(outcome);
      heldBytes += outcome.bytes;
      const evicted: O[] = [];
      while (heldBytes > maxBytes) {
        const largest = largestOf(held);
        if (!largest) break;
        remove(largest);
        evicted.push(largest);
      }
      return evicted;
    },

    delete: remove,
  };
}

/** Returns the largest outcome of the scope that holds the most bytes. */
function largestOf<O extends Held>(held: Iterable<O>): O | undefined {
  const byScope = Map.groupBy(held, ({ key }) => key.scope);
  const [first, ...others] = [...byScope.values()].map((outcomes) => ({
    outcomes,
    bytes: outcomes.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
  if (!first) return undefined;
  const { outcomes } = others.reduce(
    (max, scope) => (scope.bytes > max.bytes ? scope : max),
    first,
  );
  return outcomes.reduce((max, outcome) => (outcome.bytes > max.bytes ? outcome : max));
}

/** Parses the `x-stainless-retry-count` header. Undefined if the header is absent or no count; such a header is ignored. */
export function toRetryCount(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}
