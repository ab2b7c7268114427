import type { BridgeError } from '../errors/bridge-error.ts';
import type { TraceLog } from './trace-log.ts';

/** The trace that an image operation belongs to. */
export interface Traced {
  readonly traceId: string;
  readonly spanId: string;
  readonly requestId: string;
}

/** Logs the start and the end of image operations. */
export function createOperationLog(log: TraceLog) {
  return {
    started(traced: Traced): void {
      log.imageOperation({ event: 'image_operation_started', ...traced });
    },

    succeeded(traced: Traced, provider: string): void {
      log.imageOperation({ event: 'image_operation_succeeded', ...traced, provider });
    },

    failed(traced: Traced, error: BridgeError): void {
      const { provider, bridgeCode: errorCode, retryable } = error;
      log.imageOperation({
        event: 'image_operation_failed',
        ...traced,
        ...(provider === undefined ? {} : { provider }),
        errorCode,
        retryable,
      });
      log.failure(error, { requestId: traced.requestId });
    },
  };
}
