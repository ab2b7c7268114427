import type { Publisher } from '../artifacts/publisher.ts';
import type { ImageRequest } from '../contract/image-request.ts';
import type { ImageResponseWithBytes } from '../contract/image-response.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Generation, GenerationContext } from '../generation/generation.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import type { TraceLog } from '../log/trace-log.ts';

interface Deps {
  readonly generation: Generation;
  readonly publisher: Pick<Publisher, 'commit' | 'discard'>;
  readonly log: TraceLog;
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
    const { response, publications } = await running.result;
    if (context.signal.aborted) {
      await publisher.discard(publications);
      throw context.signal.reason;
    }
    await publisher.commit(publications);
    return response;
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

/** A key promises a replay that this version cannot give; taking it silently could cost a second picture. */
function refuseIdempotency(request: ImageRequest, context: ImageRequestContext): void {
  if (request.idempotency_key === null && context.idempotencyKey === undefined) return;
  throw new BridgeError('unsupported_capability', 'this version of the bridge cannot do that yet', {
    param: 'idempotency_key',
    details: { field: 'idempotency_key', reason: 'not_in_this_version' },
  });
}
