import { createHmac } from 'node:crypto';
import { REPLAYED } from '../contract/request/image-request.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { abortable } from '../platform/abortable.ts';
import type { Ids } from '../platform/ids.ts';
import type { Claim, ReplayStore, StoredOutcome } from './replay-store-port.ts';

interface Deps {
  readonly store: ReplayStore;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
}

/** A request with an idempotency key. Each scope has its own keys. */
export interface KeyedRequest {
  readonly scope: string;
  readonly key: string;
  /** The fingerprint by `toFingerprint`. Equal fingerprints mean equal requests for the same kind of result. */
  readonly fingerprint: string;
}

export interface IdempotentReply<T> {
  readonly value: T;
  /** True if the result is the result of an earlier request. The reply reports that. */
  readonly replayed: boolean;
}

/** Started work. `started` resolves once the work is queued or running; `result` settles when it has ended. */
export interface StartedWork<T> {
  readonly started: Promise<void>;
  readonly result: Promise<T>;
}

/** The work for one request with a key. Both promises reject with the signal's reason when the client disconnects. */
export interface Opened<T, W> extends StartedWork<T> {
  /** The return value of the request's own `work`. Undefined if the work belongs to another request. */
  readonly own: W | undefined;
}

interface Performed<W> {
  readonly own: W | undefined;
  /** Resolves with undefined once the work is queued or running, or with the outcome if the work has ended before that. */
  readonly started: Promise<StoredOutcome | undefined>;
  readonly outcome: Promise<StoredOutcome>;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Runs equal requests with one key once, and returns the one result to all of them. */
export function createIdempotency({ store, ids }: Deps) {
  // Keys may be guessable. The hash is keyed, so that a reader of the memory cannot find keys by trial.
  const secret = ids.newOpaqueId() + ids.newOpaqueId();
  // The running work of equal requests. The store rejects a different request with the same key.
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
    // A claim that starts no work is forgotten at once. Its rejection is handled here, because all clients may have disconnected.
    performing.then(({ own }) => own ?? forget(), forget);
    return performing;
  }

  /**
   * Starts `work` unless an equal request has the key already. The work continues when its clients disconnect. A failure with a
   * known outcome releases the key. Throws `idempotency_conflict`, `overloaded`.
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

    /** Resolves with the result of `work`, under the rules of `open`. Throws the errors of `open` and of `work`. */
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
    // The fingerprint contains the operation id, and each operation has one type of result.
    return ended.value as T;
  };
  const subscription = {
    own,
    started: abortable(started, client).then((ended) => {
      if (ended) toValue(ended);
    }),
    result: abortable(outcome, client).then(toValue),
  };
  // No one reads the promises of a client that has disconnected.
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
        'the Idempotency-Key was used for a different request',
        { param: 'idempotency_key' },
      );
    case 'running':
      throw notNow(
        'running_elsewhere',
        'the request with this Idempotency-Key is running in another process',
      );
    case 'full':
      throw notNow('idempotency_full', 'too many requests with an Idempotency-Key are running');
  }
}

/** Resolves with the outcome of the work once the outcome is stored for repeated requests. */
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
    // Stored without its cause, because the store keeps a failure until it expires.
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

/** Returns true if the provider may have made, and charged for, an image that was not delivered. */
function isUnknownOutcome(error: BridgeError): boolean {
  return error.details['outcome'] === 'unknown';
}

/** Returns the failure of a request as the reply to an equal request. */
export function toReplayedError(error: BridgeError): BridgeError {
  return copyOf(error, REPLAYED);
}

/** Returns a failure without its cause, which may keep whole replies in memory. */
function toStoredError(error: BridgeError): BridgeError {
  return copyOf(error, {});
}

function copyOf(error: BridgeError, headers: Readonly<Record<string, string>>): BridgeError {
  const { param, provider, upstreamRequestId, details, retryable, transient } = error;
  return new BridgeError(error.code, error.message, {
    ...(param === null ? {} : { param }),
    ...(provider === undefined ? {} : { provider }),
    ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }),
    details,
    retryable,
    transient,
    headers: { ...error.headers, ...headers },
  });
}

const VALUE_BYTES = 16;

/** Estimates the memory size of a plain value, in bytes. Counts binary data exactly and text as UTF-16. */
export function memoryBytes(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length;
  if (value instanceof Uint8Array) return VALUE_BYTES + value.byteLength;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce<number>(
    (sum, member) => sum + VALUE_BYTES + memoryBytes(member),
    VALUE_BYTES,
  );
}
