import { createHmac } from 'node:crypto';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Ids } from '../platform/ids.ts';
import { heldBytes } from './held-bytes.ts';
import type { KeptOutcome, ReplayStore } from './replay-store-port.ts';
import { isUnknownOutcome, toKeptError, toReplayedError } from './replayed-error.ts';
import { whileThere } from './while-there.ts';

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

export interface Answered<T> {
  readonly value: T;
  /** The work was another request's; the answer says so. */
  readonly replayed: boolean;
}

interface Performed {
  readonly outcome: KeptOutcome;
  readonly replayed: boolean;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Does equal requests under one key once, and gives all of them the one answer (contract.md 13). */
export function createIdempotency({ store, ids }: Deps) {
  // What lies in memory must not let anybody try keys: a key is a caller's word, and may be guessable.
  const secret = ids.newOpaqueId() + ids.newOpaqueId();
  // Equal requests only: whether another one may have the key is for the store to say.
  const running = new Map<string, Promise<Performed>>();

  function begin(
    keyHash: string,
    fingerprint: string,
    work: () => Promise<unknown>,
  ): Promise<Performed> {
    const place = toPlace(keyHash, fingerprint);
    const performing = perform(store, keyHash, fingerprint, work).finally(() => {
      running.delete(place);
    });
    // The clients may all have left when it fails.
    performing.catch(() => {});
    running.set(place, performing);
    return performing;
  }

  return {
    /**
     * The result of `work`, which is run unless an equal request has the key already. It runs to its end whatever its
     * clients do; one that leaves is rejected with its signal's reason. A failure of known outcome frees the key. Throws
     * what `work` throws, `idempotency_conflict`, `overloaded`.
     */
    async answer<T>(
      { scope, key, fingerprint }: KeyedRequest,
      work: () => Promise<T>,
      client: AbortSignal,
    ): Promise<Answered<T>> {
      client.throwIfAborted();
      const keyHash = hashKey(secret, scope, key);
      const joined = running.get(toPlace(keyHash, fingerprint));
      const performing = joined ?? begin(keyHash, fingerprint, work);
      const performed = await whileThere(performing, client);
      const { outcome } = performed;
      const replayed = joined !== undefined || performed.replayed;
      if (!outcome.ok) throw replayed ? toReplayedError(outcome.error) : outcome.error;
      // The fingerprint holds the operation's id, and an operation has one type of result.
      return { value: outcome.value as T, replayed };
    },
  };
}

async function perform(
  store: ReplayStore,
  keyHash: string,
  fingerprint: string,
  work: () => Promise<unknown>,
): Promise<Performed> {
  const claim = await store.claim(keyHash, fingerprint);
  switch (claim.kind) {
    case 'claimed': {
      const outcome = await outcomeOf(work);
      // The answer is there; that it cannot be kept is no reason to withhold it.
      await settle(store, keyHash, outcome).catch(() => {});
      return { outcome, replayed: false };
    }
    case 'finished':
      return { outcome: claim.outcome, replayed: true };
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

function outcomeOf(work: () => Promise<unknown>): Promise<KeptOutcome> {
  return work().then(
    (value) => ({ ok: true, value }),
    (thrown: unknown) => ({ ok: false, error: toBridgeError(thrown) }),
  );
}

async function settle(store: ReplayStore, keyHash: string, outcome: KeptOutcome): Promise<void> {
  if (outcome.ok) await store.finish(keyHash, outcome, heldBytes(outcome.value));
  else if (isUnknownOutcome(outcome.error)) {
    const kept = { ok: false, error: toKeptError(outcome.error) } as const;
    await store.finish(keyHash, kept, heldBytes([kept.error.message, kept.error.details]));
  } else await store.forget(keyHash);
}

function notNow(reason: string, message: string): BridgeError {
  return new BridgeError('overloaded', message, { details: { reason, retry_after_ms: 1000 } });
}

function hashKey(secret: string, scope: string, key: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([scope, key]))
    .digest('hex');
}

function toPlace(keyHash: string, fingerprint: string): string {
  return `${keyHash}:${fingerprint}`;
}
