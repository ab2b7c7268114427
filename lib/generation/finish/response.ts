import type { ImageResponseWithBytes, Timings } from '../../contract/reply/image-response.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import { toFlatError } from '../../errors/error-body.ts';
import type { DeliveredImages } from './deliver.ts';
import { type Outcome, warningsOf } from './outcome.ts';

/** The answer to one generation (contract.md 2). */
export function toImageResponse(
  outcome: Outcome,
  { data }: Pick<DeliveredImages, 'data'>,
  timings: Timings,
): ImageResponseWithBytes {
  const { request, route, negotiated, result, attempts } = outcome;
  const { failures } = result;
  const revisedPrompt = result.outputs[0]?.revisedPrompt;
  return {
    id: outcome.requestId,
    created: outcome.completedSecs,
    provider: route.provider.name,
    model: route.model,
    requested: request.parameters,
    effective: negotiated.effective,
    normalizations: [...negotiated.normalizations],
    ...(attempts ? { attempts: [...attempts] } : {}),
    data,
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
    timings,
    delivered: result.outputs.map(({ verdict }) => verdict),
    warnings: warningsOf(outcome),
  };
}

function flat(error: BridgeError) {
  const { details, suggestions, ...rest } = toFlatError(error);
  return { ...rest, details: { ...details }, suggestions: [...suggestions] };
}
