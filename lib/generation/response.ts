import { type ImageResponseWithBytes, type Timings, WARNINGS } from '../contract/image-response.ts';
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
  readonly delivered: DeliveredImages;
  readonly timings: Timings;
}

/** The answer to one generation (contract.md 2). */
export function toImageResponse(outcome: Outcome): ImageResponseWithBytes {
  const { request, route, negotiated, result, delivered } = outcome;
  const revised = result.outputs.find(({ revisedPrompt }) => revisedPrompt !== undefined);
  const { failures } = result;
  return {
    id: outcome.requestId,
    created: outcome.createdSecs,
    provider: route.provider.name,
    model: route.model,
    requested: request.parameters,
    effective: negotiated.effective,
    normalizations: [...negotiated.normalizations],
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
    ...(revised?.revisedPrompt === undefined ? {} : { revised_prompt: revised.revisedPrompt }),
    ...(result.usage ? { usage: result.usage } : {}),
    timings: outcome.timings,
    delivered: result.outputs.map(({ verdict }) => verdict),
    // In the order of the contract, whatever order they came up in.
    warnings: WARNINGS.filter((warning) => result.warnings.includes(warning)),
  };
}

function flat(error: Parameters<typeof toFlatError>[0]) {
  const { details, suggestions, ...rest } = toFlatError(error);
  return { ...rest, details: { ...details }, suggestions: [...suggestions] };
}
