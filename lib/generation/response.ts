import {
  type Attempt,
  type ImageResponseWithBytes,
  type Timings,
  WARNINGS,
} from '../contract/image-response.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import { toFlatError } from '../errors/error-body.ts';
import type { AttemptResult } from './attempt.ts';
import type { DeliveredImages } from './deliver.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { NegotiatedRequest } from './negotiation.ts';
import type { Route } from './routing.ts';

interface Outcome {
  readonly requestId: string;
  readonly createdSecs: number;
  readonly request: GenerationRequest;
  readonly route: Route;
  readonly negotiated: NegotiatedRequest;
  readonly result: AttemptResult;
  readonly attempts: readonly Attempt[] | undefined;
  readonly delivered: DeliveredImages;
  readonly timings: Timings;
}

/** The answer to one generation (contract.md 2). */
export function toImageResponse(outcome: Outcome): ImageResponseWithBytes {
  const { request, route, negotiated, result, attempts, delivered } = outcome;
  const { failures } = result;
  const revisedPrompt = result.outputs[0]?.revisedPrompt;
  return {
    id: outcome.requestId,
    created: outcome.createdSecs,
    provider: route.provider.name,
    model: route.model,
    requested: request.parameters,
    effective: negotiated.effective,
    normalizations: [...negotiated.normalizations],
    ...(attempts ? { attempts: [...attempts] } : {}),
    data: delivered.data,
    ...(negotiated.effective.failure_policy === 'best_effort'
      ? {
          failures: failures.map(({ index, error, generationMs }) => ({
            index,
            error: flat(error),
            generation_ms: generationMs,
          })),
        }
      : {}),
    ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
    ...(result.usage ? { usage: result.usage } : {}),
    timings: outcome.timings,
    delivered: result.outputs.map(({ verdict }) => verdict),
    // Each once and in the order of the contract, however they came up.
    warnings: WARNINGS.filter((warning) => result.warnings.includes(warning)),
  };
}

function flat(error: BridgeError) {
  const { details, suggestions, ...rest } = toFlatError(error);
  return { ...rest, details: { ...details }, suggestions: [...suggestions] };
}
