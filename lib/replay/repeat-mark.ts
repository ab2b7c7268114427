import { createHmac } from 'node:crypto';
import { toIdempotencyKey } from '../contract/request/image-request.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { ReplayClaim } from './replay-store-port.ts';

/** The mark that identifies a repeated request: an idempotency key, or the number of earlier tries. */
export type RepeatMark = { readonly key: string } | { readonly retryCount: number };

/** A request with a mark. */
export type MarkedRequest = RepeatMark & {
  /** The scope of the caller. A request can repeat only a request of the same scope. */
  readonly scope: string;
  /** The result of `toFingerprint`. Equal fingerprints mean equal requests for the same kind of result. */
  readonly fingerprint: string;
};

/**
 * Returns the mark of a request. A key takes precedence over a retry count. Returns undefined if the request has neither.
 * Throws `invalid_request` if the body and the header contain different keys.
 */
export function toRepeatMark(
  keyInBody: string | null,
  { idempotencyKey, retryCount }: Pick<RequestContext, 'idempotencyKey' | 'retryCount'>,
): RepeatMark | undefined {
  const key = toIdempotencyKey(keyInBody, idempotencyKey);
  if (key !== undefined) return { key };
  const count = toRetryCount(retryCount);
  return count === undefined ? undefined : { retryCount: count };
}

/** Parses the `x-stainless-retry-count` header. Returns undefined if the header is absent or is not a count. */
export function toRetryCount(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

export type RequestHashes = ReturnType<typeof createRequestHashes>;

/**
 * Creates the functions that compute the hashes of requests. The hashes are keyed because idempotency keys may be guessable.
 * `secret` is stored with the state, so that all processes with the same state compute the same hashes.
 */
export function createRequestHashes(secret: Uint8Array) {
  const toHash = (...words: readonly string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(words)).digest('hex');

  return {
    /** Returns the claim of a request, without the id of a new entry. */
    toClaim(request: MarkedRequest): Omit<ReplayClaim, 'id'> {
      const { scope, fingerprint } = request;
      const claim = { scope: toHash('replay scope', scope), fingerprint };
      if ('key' in request) {
        const identity = toHash('idempotency key', scope, request.key);
        return { ...claim, kind: 'key', identity, mayJoin: true };
      }
      const identity = toHash('retry', scope, fingerprint);
      // A first request must not receive the outcome of another client's request.
      return { ...claim, kind: 'retry', identity, mayJoin: request.retryCount > 0 };
    },

    /** Returns the hash of the idempotency key of a job, which is stored with the job. */
    ofJobKey: (scope: string, key: string) => toHash('job idempotency key', scope, key),
  };
}
