import type { ImageResponseWithBytes, Timings } from '../../contract/reply/image-response.ts';
import { toFlatError } from '../../errors/error-body.ts';
import type { OutputFailure } from '../call/failure-policy.ts';
import type { DeliveredImages } from './deliver.ts';
import { type Outcome, warningsOf } from './outcome.ts';

/** The reply to one generation (contract.md 2). */
export function toImageResponse(
  outcome: Outcome,
  { data }: Pick<DeliveredImages, 'data'>,
  timings: Timings,
): ImageResponseWithBytes {
  const { plan, result, attempts, completedSecs } = outcome;
  const { record, normalizations } = plan.report;
  const revisedPrompt = result.outputs[0]?.revisedPrompt;
  return {
    id: record.request_id,
    created: completedSecs,
    provider: record.provider,
    model: record.model,
    requested: record.requested,
    effective: record.effective,
    normalizations: [...normalizations],
    ...(attempts ? { attempts: [...attempts] } : {}),
    data,
    ...(plan.ask.isFailFast ? {} : { failures: result.failures.map(toFailure) }),
    ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
    ...(result.usage ? { usage: result.usage } : {}),
    ...(result.session ? { session: result.session } : {}),
    timings,
    delivered: result.outputs.map(({ verdict }) => verdict),
    warnings: warningsOf(outcome),
  };
}

function toFailure({ index, error, generationMs }: OutputFailure) {
  const { details, suggestions, ...rest } = toFlatError(error);
  return {
    index,
    error: { ...rest, details: { ...details }, suggestions: [...suggestions] },
    generation_ms: generationMs,
  };
}
