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

/** The work for one request. `started` and `result` reject with the signal's reason when the client disconnects. */
export interface Opened<T, W> extends StartedWork<T> {
  readonly replayed: boolean;
  /** The work that the request started. Undefined if an earlier request started the work. */
  readonly own: W | undefined;
}

type Client = Pick<RequestContext, 'signal' | 'onReplied'>;

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

  async function openEntry<T, W extends StartedWork<T>>(
    request: MarkedRequest,
    start: StartWork<W>,
    client: Client,
  ): Promise<Opened<T, W> & { readonly id: string }> {
    const signal = client.signal();
    signal.throwIfAborted();
    const tryOnce = () => abortable(answer(request, start, client), signal);
    let answered = await tryOnce();
    // If the joined work ended without an outcome, the next claim starts new work or joins the work of another request.
    while (!answered) answered = await tryOnce();
    const opened = {
      ...answered,
      started: abortable(answered.started, signal),
      // The fingerprint contains the operation id, and each operation has one type of result.
      result: abortable(answered.result, signal) as Promise<T>,
    };
    // Prevents unhandled rejections, because nothing awaits these promises after the client has disconnected.
    opened.started.catch(() => {});
    opened.result.catch(() => {});
    return opened;
  }

  return {
    /** Opens the work of a request. Throws `idempotency_conflict`, `overloaded`, or the reason of the client's signal. */
    open: <T, W extends StartedWork<T>>(
      request: MarkedRequest,
      start: StartWork<W>,
      client: Client,
    ): Promise<Opened<T, W>> => openEntry(request, start, client),

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
      const started = Promise.resolve();
      for (;;) {
        const { id, replayed, result } = await openEntry<T, StartedWork<T>>(
          request,
          (...given) => ({ started, result: work(...given) }),
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

  async function claimFor<W extends StartedWork<unknown>>(claim: ReplayClaim, start: StartWork<W>) {
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
   * Resolves with undefined if the joined work ended without an outcome. If another process runs the joined work, resolves only
   * after the end of the work, because the start of the work is known only to that process. Does not stop when the client
   * disconnects, because the client must still be detached from the entry.
   */
  return async function answer<W extends StartedWork<unknown>>(
    request: MarkedRequest,
    start: StartWork<W>,
    client: Client,
  ) {
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
    if (work) return { id, replayed: false, ...work };
    if (joined) return { id, replayed: true, own: undefined, ...replayed(joined) };
    const outcome =
      claimed.state === 'finished'
        ? claimed.outcome
        : await store.untilSettled(id, client.signal());
    return outcome && { id, replayed: true, own: undefined, ...finished(outcome) };
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

function finished(outcome: StoredOutcome): StartedWork<unknown> {
  const result = (async () => toReplayedValue(outcome))();
  return { started: result.then(() => {}), result };
}

/** Returns work for a request that joined the work. Its errors are marked as replayed. */
function replayed({ started, result }: StartedWork<unknown>): StartedWork<unknown> {
  const rethrow = (thrown: unknown) => {
    throw toReplayedError(thrown);
  };
  return { started: started.catch(rethrow), result: result.catch(rethrow) };
}

function disconnected(): BridgeError {
  return new BridgeError('cancelled', 'the client has disconnected');
}
