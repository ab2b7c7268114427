import type { ImageRequest } from '../contract/image-request.ts';
import type { ImageResponseWithBytes } from '../contract/image-response.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Generation, GenerationContext, GenerationResult } from '../generation/generation.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import type { TraceLog } from '../log/trace-log.ts';

type Publications = GenerationResult['publications'];

interface Deps {
  readonly generation: Generation;
  /** What a generation has published is made its owner's, or removed again. */
  readonly publisher: {
    commit(publications: Publications): Promise<void>;
    discard(publications: Publications): Promise<void>;
  };
  readonly log: TraceLog;
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

/** Who asks, and the trace that the work belongs to. */
export interface ImageRequestContext extends GenerationContext {
  readonly trace: { readonly traceId: string; readonly spanId: string };
  readonly idempotencyKey: string | undefined;
}

export type ImageRequests = ReturnType<typeof createImageRequests>;

/** Answers the image routes: one request, one generation, and what it published is owned before anybody hears of it. */
export function createImageRequests({ generation, publisher, log, maxInputBytes }: Deps) {
  async function generate(
    request: ImageRequest,
    context: ImageRequestContext,
  ): Promise<ImageResponseWithBytes> {
    refuseIdempotency(request, context);
    const running = generation.run(toGenerationRequest(request, maxInputBytes), context);
    void ignoreAll(running.events);
    const { response, publications } = await running.result;
    await handOver(publications, context.signal);
    return response;
  }

  /** A file whose owner has left, or cannot be written down, must not stay. */
  async function handOver(publications: Publications, signal: AbortSignal): Promise<void> {
    try {
      signal.throwIfAborted();
      if (publications.length > 0) await publisher.commit(publications);
    } catch (failure) {
      // What cannot be removed now is removed at the next start.
      if (publications.length > 0) await publisher.discard(publications).catch(() => {});
      throw failure;
    }
  }

  return {
    /** Rejects with a `BridgeError`; a rejected request has left no file behind. */
    async create(
      request: ImageRequest,
      context: ImageRequestContext,
    ): Promise<ImageResponseWithBytes> {
      const traced = { ...context.trace, requestId: context.requestId };
      log.imageOperation({ event: 'image_operation_started', ...traced });
      try {
        const response = await generate(request, context);
        const { provider } = response;
        log.imageOperation({ event: 'image_operation_succeeded', ...traced, provider });
        return response;
      } catch (thrown) {
        const error = toBridgeError(thrown);
        log.imageOperation({
          event: 'image_operation_failed',
          ...traced,
          ...(error.provider === undefined ? {} : { provider: error.provider }),
          errorCode: error.bridgeCode,
          retryable: error.retryable,
        });
        throw error;
      }
    },
  };
}

/** Events that nobody reads would hold their partial images until the end. */
async function ignoreAll(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

/** A key promises a replay that this version cannot give; taking it silently could cost a second picture. */
function refuseIdempotency(request: ImageRequest, context: ImageRequestContext): void {
  if (request.idempotency_key === null && context.idempotencyKey === undefined) return;
  throw new BridgeError('unsupported_capability', 'this version of the bridge cannot do that yet', {
    param: 'idempotency_key',
    details: { field: 'idempotency_key', reason: 'not_in_this_version' },
  });
}
