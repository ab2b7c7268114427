import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import { toIdempotencyKey } from '../contract/request/idempotency-key.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import { toFingerprintedRequest } from '../generation/fingerprinted-request.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import type { GenerationResult } from '../generation/generation-result.ts';
import { identifyInputs } from '../inputs/input-identities.ts';
import { toInputSources } from '../inputs/to-input-sources.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import type { ImageRun, ImageRuns } from '../runs/image-run.ts';
import type { Usage } from '../usage/usage.ts';

interface Deps {
  readonly runs: ImageRuns;
  /** Gives what a run has published its owner. */
  readonly publisher: { commit(publications: GenerationResult['publications']): Promise<void> };
  readonly slices: TimeSlices;
  readonly usage: Pick<Usage, 'chargeFor'>;
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

/** A request that has passed the checks that need no provider, and its run. */
export interface PreparedRequest {
  readonly key: string | undefined;
  readonly run: ImageRun<ImageResponseWithBytes>;
  /** Equal for equal requests to one operation for the same kind of result. */
  fingerprintFor(result: 'images' | 'stream'): Promise<string>;
}

/** Makes a run of a request. A request that is wrong before there is anything to run is logged as a failure. */
export function createPrepareRequest({ runs, publisher, slices, usage, maxInputBytes }: Deps) {
  async function commit({ response, publications }: GenerationResult) {
    if (publications.length > 0) await publisher.commit(publications);
    return response;
  }

  /** Throws `input`, `invalid_request`, `unsupported_capability`, or the signal's reason. */
  return async function prepare(
    sent: AnyImageRequest,
    context: RequestContext,
  ): Promise<PreparedRequest> {
    try {
      const key = toIdempotencyKey(sent.idempotency_key, context.idempotencyKey);
      const inputs = await slices.run(toInputSources(sent, maxInputBytes), context.signal());
      const request = toGenerationRequest(sent, inputs);
      return {
        key,
        run: runs.newRun(
          request,
          { ...context, charge: usage.chargeFor(context.caller) },
          { commit },
        ),
        async fingerprintFor(result) {
          const identities = await identifyInputs(inputs, slices, context.signal());
          const equal = toFingerprintedRequest(sent, inputs, identities);
          return toFingerprint(`${context.operationId} ${result}`, equal);
        },
      };
    } catch (thrown) {
      throw runs.refused(context, thrown);
    }
  };
}
