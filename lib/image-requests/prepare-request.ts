import { toIdempotencyKey } from '../contract/request/idempotency-key.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import { toFingerprintedRequest } from '../generation/fingerprinted-request.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import { identifyInputs } from '../inputs/input-identities.ts';
import { toInputSources } from '../inputs/to-input-sources.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import type { ImageOperation, ImageOperations } from '../runs/image-operation.ts';

interface Deps {
  readonly operations: ImageOperations;
  readonly slices: TimeSlices;
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

/** A request in which nothing is wrong by itself, and the work that it asks for. */
export interface PreparedRequest {
  readonly key: string | undefined;
  readonly operation: ImageOperation;
  /** Equal for equal requests to one operation for the same kind of result. */
  fingerprint(result: 'images' | 'stream'): Promise<string>;
}

export type PrepareRequest = ReturnType<typeof createPrepareRequest>;

/** Makes work of a request. What is wrong before there is anything to run is noted as a failure of it. */
export function createPrepareRequest({ operations, slices, maxInputBytes }: Deps) {
  /** Throws `input`, `invalid_request`, `unsupported_capability`, or the signal's reason. */
  return async function prepare(
    sent: AnyImageRequest,
    context: RequestContext,
  ): Promise<PreparedRequest> {
    const { operationId, scope, requestId, baseUrl, trace, idempotencyKey } = context;
    const traced = { ...trace, requestId };
    try {
      const key = toIdempotencyKey(sent.idempotency_key, idempotencyKey);
      const inputs = await slices.run(toInputSources(sent, maxInputBytes), context.signal());
      const request = toGenerationRequest(sent, inputs);
      return {
        key,
        operation: operations.newOperation(request, { scope, requestId, baseUrl }, traced),
        async fingerprint(result) {
          const identities = await identifyInputs(inputs, slices, context.signal());
          const equal = toFingerprintedRequest(sent, inputs, identities);
          return toFingerprint(`${operationId} ${result}`, equal);
        },
      };
    } catch (thrown) {
      throw operations.refused(traced, thrown);
    }
  };
}
