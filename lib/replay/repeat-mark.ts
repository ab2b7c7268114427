import { createHmac } from 'node:crypto';
import { toIdempotencyKey } from '../contract/request/image-request.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { ReplayClaim } from './replay-store-port.ts';

/** The mark by which a client shows that it sends the same request again: a key, or the number of its earlier tries. */
export type RepeatMark = { readonly key: string } | { readonly retryCount: number };

/** A request with a mark. */
export type MarkedRequest = RepeatMark & {
  /** Each scope has its own keys and its own retries. */
  readonly scope: string;
  /** The result of `toFingerprint`. Equal fingerprints mean equal requests for the same kind of result. */
  readonly fingerprint: string;
};

/**
 * Returns the mark of a request, of which a key counts more than a retry count. Undefined if the request has neither. Throws
 * `invalid_request` if body and header have different keys.
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

/** Parses the `x-stainless-retry-count` header. Undefined if the header is absent or no count; such a header is ignored. */
export function toRetryCount(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

export type RequestHashes = ReturnType<typeof createRequestHashes>;

/**
 * Creates the hashes by which requests are recognized. The hashes are keyed, because idempotency keys may be guessable.
 * `secret` belongs to the state, so that all its processes agree.
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
      // A first request must not get the outcome of another client.
      return { ...claim, kind: 'retry', identity, mayJoin: request.retryCount > 0 };
    },

    /** Returns the hash of the idempotency key of a job, which is stored with the job. */
    ofJobKey: (scope: string, key: string) => toHash('job idempotency key', scope, key),
  };
}
