import type { ImageRequest } from '../contract/image-request.ts';
import type { ImageResponseWithBytes } from '../contract/image-response.ts';
import type { Generation, GenerationContext } from '../generation/generation.ts';
import { type GenerationRequest, toGenerationRequest } from '../generation/generation-request.ts';
import { toFingerprint } from '../idempotency/fingerprint.ts';
import type { Answered, Idempotency } from '../idempotency/idempotency.ts';
import { identifyInputs } from '../inputs/input-identities.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Clock } from '../platform/clock.ts';
import { createDetachedRuns } from './detached-runs.ts';
import { toFingerprintedRequest } from './fingerprinted-request.ts';
import { toIdempotencyKey } from './idempotency-key.ts';
import { carryOut, createImageOperations } from './image-operation.ts';
import { createRetryAttach } from './retry-attach.ts';
import { toRetryCount } from './retry-count.ts';

interface Deps {
  readonly generation: Generation;
  /** What a generation has published is made its owner's, or removed again. */
  readonly publisher: Parameters<typeof createImageOperations>[0]['publisher'];
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly log: TraceLog;
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

/** Who asks, the trace that the work belongs to, and what the head says of repeats. */
export interface ImageRequestContext extends GenerationContext {
  readonly trace: { readonly traceId: string; readonly spanId: string };
  readonly idempotencyKey: string | undefined;
  /** `x-stainless-retry-count`, as it was sent. */
  readonly retryCount: string | undefined;
}

/** What handlers see; `drain` and `close` are for whoever built it. */
export type ImageRequests = Pick<ReturnType<typeof createImageRequests>, 'create'>;

/**
 * Answers the image routes: one request, one generation, and what it published is owned before anybody hears of it. A
 * client that leaves takes its work along, but for work under a key and for a moment of retry attach (contract.md 13).
 */
export function createImageRequests(deps: Deps) {
  const { idempotency, clock, maxInputBytes } = deps;
  const operations = createImageOperations(deps);
  const detached = createDetachedRuns();
  const retryAttach = createRetryAttach<ImageResponseWithBytes>({ clock, detached });

  async function answer(
    operationId: string,
    sent: ImageRequest,
    context: ImageRequestContext,
  ): Promise<Answered<ImageResponseWithBytes>> {
    const { scope, signal, requestId, baseUrl, trace } = context;
    const traced = { ...trace, requestId };
    const { key, retryCount, request } = prepare(sent, context, traced);
    const operation = operations.newOperation(request, { scope, requestId, baseUrl }, traced);
    if (key === undefined && retryCount === undefined) {
      return { value: await carryOut(operation, signal), replayed: false };
    }
    const identities = await identifyInputs(request.inputs, clock, signal);
    const equal = toFingerprintedRequest(sent, request.inputs, identities);
    const fingerprint = toFingerprint(operationId, equal);
    if (key === undefined) {
      const attempt = { scope, fingerprint, retryCount: retryCount ?? 0 };
      return retryAttach.answer(attempt, operation, signal);
    }
    const runOn = () => detached.run((stop) => carryOut(operation, stop)).outcome;
    return idempotency.answer({ scope, key, fingerprint }, runOn, signal);
  }

  function prepare(
    sent: ImageRequest,
    context: ImageRequestContext,
    traced: Parameters<typeof operations.refused>[0],
  ): { key: string | undefined; retryCount: number | undefined; request: GenerationRequest } {
    try {
      return {
        key: toIdempotencyKey(sent.idempotency_key, context.idempotencyKey),
        retryCount: toRetryCount(context.retryCount),
        request: toGenerationRequest(sent, maxInputBytes),
      };
    } catch (thrown) {
      throw operations.refused(traced, thrown);
    }
  }

  return {
    /**
     * Rejects with a `BridgeError`; a rejected request has left no file behind, but for a client that has left while its
     * work runs on. Throws `idempotency_conflict` beside what a generation throws.
     */
    create(
      request: ImageRequest,
      context: ImageRequestContext,
    ): Promise<Answered<ImageResponseWithBytes>> {
      return answer('createImage', request, context);
    },

    /** Waits for work that runs on without a client; once `grace` aborts, it is cancelled and its end waited for. */
    async drain(grace: AbortSignal): Promise<void> {
      retryAttach.stopLingering();
      await detached.drain(grace);
    },

    /** Ends all work that runs on without a client; resolves when none does any more. */
    close: detached.close,
  };
}
