import type { RequestContext } from '../contract/request/request-context.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { abortable } from '../platform/abortable.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { toReplayedError, toReplayedValue } from './outcome.ts';
import { createRequestHashes, type MarkedRequest, type RequestHashes } from './repeat-mark.ts';
import type {
  ReplayClaim,
  ReplayPolicies,
  ReplayStore,
  StoredOutcome,
} from './replay-store-port.ts';
import {
  createWorkInFlight,
  type SharedWork,
  type StartedWork,
  type StartWork,
  type Work,
} from './work-in-flight.ts';

interface Deps {
  readonly store: ReplayStore;
  readonly policies: ReplayPolicies;
  /** The secret of the state. The hashes of idempotency keys and scopes are keyed with this secret. */
  readonly secret: Uint8Array;
  readonly clock: Pick<Clock, 'after'>;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
}

/** The reply to a request that may have been sent before. */
export interface Replied<T> {
  readonly value: T;
  /** True if the outcome comes from an earlier request. The reply reports this to the client. */
  readonly replayed: boolean;
}

/** The work for one request. The promises reject with the signal's reason when the client disconnects. */
export interface Opened<T, W> extends StartedWork<T> {
  readonly replayed: boolean;
  /**
   * Resolves with the work that the request started, or with undefined if an earlier request started the work. If another process
   * runs the work of the earlier request, resolves only after the end of that work, because the request starts its own work if
   * the earlier request failed without a charge.
   */
  readonly own: Promise<W | undefined>;
}

type Client = Pick<RequestContext, 'signal' | 'onReplied'>;

/** The work of this process, or the outcome of earlier work, for a request under the entry `id`. */
interface Answered<T, W> extends StartedWork<T> {
  readonly id: string;
  readonly replayed: boolean;
  readonly own: W | undefined;
}

/** Another process runs the work of the entry. */
interface Elsewhere {
  readonly elsewhere: string;
}

export type Replay = ReturnType<typeof createReplay>;

/**
 * Answers requests that may have been sent before. A request starts its own work, joins the running work of an equal request,
 * or receives the stored outcome. `ReplayPolicy` and the store decide which. The work of a request with an idempotency key
 * continues after its clients disconnect. The work of a request with a retry count continues for as long as a retry may arrive.
 */
export function createReplay({ store, policies, secret, clock, ids }: Deps) {
  const hashes = createRequestHashes(secret);
  const works = createWorkInFlight({ store, clock });
  const answer = createAnswers({ store, policies, hashes, ids, begin: works.begin });

  /** Resolves with undefined if the work ended without an outcome. */
  async function follow<T, W>(
    { elsewhere: id }: Elsewhere,
    signal: AbortSignal,
  ): Promise<Answered<T, W> | undefined> {
    const outcome = await store.untilSettled(id, signal);
    return outcome && { id, replayed: true, own: undefined, ...finished<T>(outcome) };
  }

  /** Opens the work of a request. If another process runs the work, resolves when the work has ended. */
  async function openEntry<T, W extends Work<T>>(
    request: MarkedRequest,
    start: StartWork<W>,
    client: Client,
  ): Promise<Answered<T, W>> {
    const signal = client.signal();
    for (;;) {
      signal.throwIfAborted();
      const answered = await abortable(answer<T, W>(request, start, client), signal);
      const joined = 'elsewhere' in answered ? await follow<T, W>(answered, signal) : answered;
      // If the joined work ended without an outcome, the next claim starts new work or joins the work of another request.
      if (joined) return untilGone(joined, signal);
    }
  }

  return {
    /**
     * Opens the work of a request. If another process runs the work, resolves when the work has started. Throws
     * `idempotency_conflict`, `overloaded`, or the reason of the client's signal.
     */
    async open<T, W extends StartedWork<T>>(
      request: MarkedRequest,
      start: StartWork<W>,
      client: Client,
    ): Promise<Opened<T, W>> {
      const signal = client.signal();
      signal.throwIfAborted();
      const answered = await abortable(answer<T, W>(request, start, client), signal);
      if (!('elsewhere' in answered)) return toOpened(untilGone(answered, signal));
      if (!(await store.untilStarted(answered.elsewhere, signal))) {
        return toOpened(await openEntry<T, W>(request, start, client));
      }
      const ended = follow<T, W>(answered, signal).then(
        (joined) => joined ?? openEntry<T, W>(request, start, client),
      );
      const own = ended.then((joined) => joined.own);
      const result = ended.then((joined) => joined.result);
      ignoreRejections(own, result);
      return { replayed: true, own, started: Promise.resolve(), result };
    },

    /**
     * Resolves with the result of `work`, or with the result of an earlier equal request unless that result is stale. Throws
     * the errors of `open` and of `work`.
     */
    async once<T>(
      request: MarkedRequest,
      work: StartWork<Promise<T>>,
      client: Client,
      isStale?: (value: T) => Promise<boolean>,
    ): Promise<Replied<T>> {
      for (;;) {
        const { id, replayed, result } = await openEntry<T, Work<T>>(
          request,
          (...given) => ({ result: work(...given) }),
          client,
        );
        const value = await result;
        if (!replayed || !(await isStale?.(value))) return { value, replayed };
        await store.forget(id);
      }
    },

    jobKeyHash: hashes.ofJobKey,

    drain: works.drain,
    close: works.close,
  };
}

interface AnswerDeps extends Pick<Deps, 'store' | 'policies' | 'ids'> {
  readonly hashes: RequestHashes;
  readonly begin: ReturnType<typeof createWorkInFlight>['begin'];
}

/** Claims entries for requests, and attaches their clients to the entries. */
function createAnswers({ store, policies, hashes, ids, begin }: AnswerDeps) {
  /** The work of this process by the id of its entry. A promise resolves with undefined if the claim did not start work. */
  const works = new Map<string, Promise<SharedWork<unknown> | undefined>>();

  async function claimFor<W extends Work<unknown>>(claim: ReplayClaim, start: StartWork<W>) {
    const claimed = await store.claim(claim);
    if (claimed.state !== 'started') return { claimed, work: undefined };
    const work = begin(claim.id, policies[claim.kind], start);
    const forget = () => works.delete(claim.id);
    work.result.then(forget, forget);
    return { claimed: { ...claimed, id: claim.id }, work };
  }

  /** Detaches a client from an entry and its work. */
  async function detach(
    { id, work }: { readonly id: string; readonly work: SharedWork<unknown> | undefined },
    isReplied: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    work?.detach();
    await store.release(id, isReplied).catch(() => {});
    work?.linger(signal.aborted ? toBridgeError(signal.reason) : disconnected());
  }

  /**
   * Claims an entry for the request and attaches the client. Does not stop when the client disconnects, because the client must
   * still be detached from the entry.
   */
  return async function answer<T, W extends Work<T>>(
    request: MarkedRequest,
    start: StartWork<W>,
    client: Client,
  ): Promise<Answered<T, W> | Elsewhere> {
    const claim = { id: ids.newOpaqueId(), ...hashes.toClaim(request) };
    // Watch the client before the claim starts, because the reply may end before the claim resolves.
    const onGone = policies[claim.kind].countsClients ? watchClient(client) : undefined;
    const claiming = claimFor(claim, start);
    const own = claiming.then(({ work }) => work).catch(() => undefined);
    // Add the work before the claim resolves, because another request may find the entry before this request continues.
    works.set(claim.id, own);
    if (!(await own)) works.delete(claim.id);
    const { claimed, work } = await claiming;
    const { id } = claimed;
    const joined = work ? undefined : await works.get(id);
    joined?.attach();
    onGone?.((isReplied) => void detach({ id, work: work ?? joined }, isReplied, client.signal()));
    // The fingerprint contains the operation id, and each operation has one type of result.
    if (work) return { id, replayed: false, ...(work as SharedWork<W> & StartedWork<T>) };
    if (joined)
      return { id, replayed: true, own: undefined, ...replayed(joined as StartedWork<T>) };
    if (claimed.state !== 'finished') return { elsewhere: id };
    return { id, replayed: true, own: undefined, ...finished<T>(claimed.outcome) };
  };
}

/**
 * Watches a client until its reply ends. The returned function registers the only listener. The listener is called with true
 * when the whole reply has been written, or with false if the client disconnects earlier.
 */
function watchClient({ signal: clientSignal, onReplied }: Client) {
  const signal = clientSignal();
  let isReplied: boolean | undefined;
  let notify = (_isReplied: boolean) => {};
  const end = (isComplete: boolean) => {
    if (isReplied !== undefined) return;
    isReplied = isComplete;
    notify(isComplete);
  };
  onReplied(end);
  if (signal.aborted) end(false);
  else signal.addEventListener('abort', () => end(false), { once: true });

  return (listener: (isReplied: boolean) => void): void => {
    notify = listener;
    if (isReplied !== undefined) listener(isReplied);
  };
}

function finished<T>(outcome: StoredOutcome): StartedWork<T> {
  const result = (async () => toReplayedValue(outcome) as T)();
  return { started: result.then(() => {}), result };
}

/** Returns work for a request that joined the work. Its errors are marked as replayed. */
function replayed<T>({ started, result }: StartedWork<T>): StartedWork<T> {
  const rethrow = (thrown: unknown) => {
    throw toReplayedError(thrown);
  };
  return { started: started.catch(rethrow), result: result.catch(rethrow) };
}

/** Returns work whose promises reject when the client disconnects. */
function untilGone<T, W>(answered: Answered<T, W>, signal: AbortSignal): Answered<T, W> {
  const started = abortable(answered.started, signal);
  const result = abortable(answered.result, signal);
  ignoreRejections(started, result);
  return { ...answered, started, result };
}

function toOpened<T, W>({ own, ...answered }: Answered<T, W>): Opened<T, W> {
  return { ...answered, own: Promise.resolve(own) };
}

/** Prevents unhandled rejections, because nothing awaits the promises after the client has disconnected. */
function ignoreRejections(...promises: readonly Promise<unknown>[]): void {
  for (const promise of promises) promise.catch(() => {});
}

function disconnected(): BridgeError {
  return new BridgeError('cancelled', 'the client has disconnected');
}
