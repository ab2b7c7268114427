import { toIdempotencyKey } from '../contract/request/idempotency-key.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import { toFingerprintedRequest } from '../generation/fingerprinted-request.ts';
import type { GenerationContext } from '../generation/generation.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import { identifyInputs } from '../inputs/input-identities.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import type { ImageOperation, ImageOperations } from '../runs/image-operation.ts';

interface Deps {
  readonly operations: ImageOperations;
  readonly slices: TimeSlices;
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

/** Who asks, the trace that the work belongs to, and what the head says of repeats. */
export interface StreamRequestContext extends GenerationContext {
  /** Requests to different operations are never equal. */
  readonly operationId: string;
  readonly trace: { readonly traceId: string; readonly spanId: string };
  readonly idempotencyKey: string | undefined;
}

/** A request in which nothing is wrong by itself, and the work that it asks for. */
export interface PreparedRequest {
  readonly key: string | undefined;
  readonly operation: ImageOperation;
  /** Equal for equal requests to one operation. */
  fingerprint(): Promise<string>;
}

export type PrepareRequest = ReturnType<typeof createPrepareRequest>;

/** Makes work of a request. What is wrong before there is anything to run is noted as a failure of it. */
export function createPrepareRequest({ operations, slices, maxInputBytes }: Deps) {
  /** Throws `input`, `invalid_request`, `unsupported_capability`. */
  return function prepare(sent: AnyImageRequest, context: StreamRequestContext): PreparedRequest {
    const { operationId, scope, requestId, baseUrl, trace, signal, idempotencyKey } = context;
    const traced = { ...trace, requestId };
    try {
      const key = toIdempotencyKey(sent.idempotency_key, idempotencyKey);
      const request = toGenerationRequest(sent, maxInputBytes);
      return {
        key,
        operation: operations.newOperation(request, { scope, requestId, baseUrl }, traced),
        async fingerprint() {
          const identities = await identifyInputs(request.inputs, slices, signal);
          const equal = toFingerprintedRequest(sent, request.inputs, identities);
          return toFingerprint(operationId, equal);
        },
      };
    } catch (thrown) {
      throw operations.refused(traced, thrown);
    }
  };
}
