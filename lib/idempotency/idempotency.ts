import { createHmac } from 'node:crypto';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { abortable } from '../platform/abortable.ts';
import type { Ids } from '../platform/ids.ts';
import { memoryBytes } from './memory-size.ts';
import type { Claim, ReplayStore, StoredOutcome } from './replay-store-port.ts';
import { isUnknownOutcome, toReplayedError, toStoredError } from './replayed-error.ts';

interface Deps {
  readonly store: ReplayStore;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
}

/** A request under a key. Every scope has keys of its own. */
export interface KeyedRequest {
  readonly scope: string;
  readonly key: string;
  /** As `toFingerprint` makes it, so that an equal one is a request for the same kind of result. */
  readonly fingerprint: string;
}

export interface IdempotentReply<T> {
  readonly value: T;
  /** The result is that of another request; the reply says so. */
  readonly replayed: boolean;
}

/** Work with two reports: that it is queued or running, or why not, and how it ended. */
export interface StartedWork<T> {
  readonly started: Promise<void>;
  readonly result: Promise<T>;
}

/** The work as a request under a key sees it. Both promises reject with the signal's reason once its client disconnects. */
export interface Opened<T, W> extends StartedWork<T> {
  /** What its own `work` returned; undefined where the work is another request's. */
  readonly own: W | undefined;
}

interface Performed<W> {
  readonly own: W | undefined;
  /** Resolves with the outcome of work that was over before it was taken up. */
  readonly started: Promise<StoredOutcome | undefined>;
  readonly outcome: Promise<StoredOutcome>;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Runs equal requests under one key once; all of them get the one result (contract.md 13). */
export function createIdempotency({ store, ids }: Deps) {
  // A key may be guessable. Its hash must not allow anyone who reads the memory to try keys.
  const secret = ids.newOpaqueId() + ids.newOpaqueId();
  // Equal requests only: the store decides whether another one may have the key.
  const running = new Map<string, Promise<Performed<unknown>>>();

  function begin<W extends StartedWork<unknown>>(
    keyHash: string,
    { scope, fingerprint }: Pick<KeyedRequest, 'scope' | 'fingerprint'>,
    work: () => W,
  ): Promise<Performed<W>> {
    const runningKey = toRunningKey(keyHash, fingerprint);
    const forget = () => running.delete(runningKey);
    const claim = store.claim(hashOf(secret, [scope]), keyHash, fingerprint);
    const performing = perform(claim, () => {
      const own = work();
      const outcome = settled(store, keyHash, own.result).finally(forget);
      const started = own.started.then(
        () => undefined,
        () => outcome,
      );
      return { own, started, outcome };
    });
    running.set(runningKey, performing);
    // Without work of its own it ends as soon as that is known. All clients may have disconnected then.
    performing.then(({ own }) => own ?? forget(), forget);
    return performing;
  }

  /**
   * Starts `work` unless an equal request has the key already. It runs to its end whatever its clients do. A failure of
   * known outcome frees the key. Throws `idempotency_conflict`, `overloaded`.
   */
  async function open<T, W extends StartedWork<T>>(
    request: KeyedRequest,
    work: () => W,
    client: AbortSignal,
  ): Promise<Opened<T, W>> {
    client.throwIfAborted();
    const { scope, key, fingerprint } = request;
    const keyHash = hashOf(secret, [scope, key]);
    const joined = running.get(toRunningKey(keyHash, fingerprint));
    if (joined) return subscribe<T, W>(await abortable(joined, client), undefined, client);
    const performed = await abortable(begin(keyHash, request, work), client);
    return subscribe(performed, performed.own, client);
  }

  return {
    open,

    /** The result of `work`, under the rules of `open`. Throws what `work` throws, too. */
    async once<T>(
      request: KeyedRequest,
      work: () => Promise<T>,
      client: AbortSignal,
    ): Promise<IdempotentReply<T>> {
      const start = () => ({ started: Promise.resolve(), result: work() });
      const { own, result } = await open<T, StartedWork<T>>(request, start, client);
      return { value: await result, replayed: own === undefined };
    },
  };
}

function subscribe<T, W>(
  { started, outcome }: Performed<unknown>,
  own: W | undefined,
  client: AbortSignal,
): Opened<T, W> {
  const toValue = (ended: StoredOutcome): T => {
    if (!ended.ok) throw own ? ended.error : toReplayedError(ended.error);
    // The fingerprint holds the operation's id, and an operation has one type of result.
    return ended.value as T;
  };
  const subscription = {
    own,
    started: abortable(started, client).then((ended) => {
      if (ended) toValue(ended);
    }),
    result: abortable(outcome, client).then(toValue),
  };
  // A client that disconnected reads neither.
  subscription.started.catch(() => {});
  subscription.result.catch(() => {});
  return subscription;
}

async function perform<W>(
  claiming: Promise<Claim>,
  begun: () => Performed<W>,
): Promise<Performed<W>> {
  const claim = await claiming;
  switch (claim.kind) {
    case 'claimed':
      return begun();
    case 'finished': {
      const outcome = Promise.resolve(claim.outcome);
      return { own: undefined, started: outcome, outcome };
    }
    case 'conflict':
      throw new BridgeError(
        'idempotency_conflict',
        'another request was sent under this Idempotency-Key',
        { param: 'idempotency_key' },
      );
    case 'running':
      throw notNow('running_elsewhere', 'the request under this key runs in another process');
    case 'full':
      throw notNow('idempotency_full', 'too many requests with a key are under way');
  }
}

/** How the work ended, once that is kept for those who repeat the request. */
async function settled(
  store: ReplayStore,
  keyHash: string,
  result: Promise<unknown>,
): Promise<StoredOutcome> {
  const outcome = await result.then(
    (value): StoredOutcome => ({ ok: true, value }),
    (thrown: unknown): StoredOutcome => ({ ok: false, error: toBridgeError(thrown) }),
  );
  // A result that cannot be stored is still returned.
  await settle(store, keyHash, outcome).catch(() => {});
  return outcome;
}

async function settle(store: ReplayStore, keyHash: string, outcome: StoredOutcome): Promise<void> {
  if (outcome.ok) await store.finish(keyHash, outcome, memoryBytes(outcome.value));
  else if (isUnknownOutcome(outcome.error)) {
    // Without what only its first reader needs, because the store keeps a failure for its whole time.
    const kept = { ok: false, error: toStoredError(outcome.error) } as const;
    await store.finish(keyHash, kept, 0);
  } else await store.forget(keyHash);
}

function notNow(reason: string, message: string): BridgeError {
  return new BridgeError('overloaded', message, { details: { reason, retry_after_ms: 1000 } });
}

function hashOf(secret: string, parts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
}

function toRunningKey(keyHash: string, fingerprint: string): string {
  return `${keyHash}:${fingerprint}`;
}
