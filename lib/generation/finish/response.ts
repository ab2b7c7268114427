import {
  type Attempt,
  type ImageResponseWithBytes,
  type Timings,
  WARNINGS,
  type Warning,
} from '../../contract/reply/image-response.ts';
import { toFlatError } from '../../errors/error-body.ts';
import type { OutputFailure, RouteResult } from '../call/outcome.ts';
import type { Plan } from '../plan/plan.ts';

/** The outcome of one generation before its images are delivered. */
export interface Outcome {
  readonly plan: Plan;
  readonly completedSecs: number;
  readonly result: RouteResult;
  /** The routes that were tried. Undefined unless the request has fallbacks. */
  readonly attempts: readonly Attempt[] | undefined;
}

/** Returns each warning once, in the order of `WARNINGS`. */
export function warningsOf({ plan, result }: Pick<Outcome, 'plan' | 'result'>): Warning[] {
  const all = [...plan.report.warnings, ...result.warnings];
  return WARNINGS.filter((warning) => all.includes(warning));
}

/** Creates the reply to one generation. */
export function toImageResponse(
  outcome: Outcome,
  { data }: Pick<ImageResponseWithBytes, 'data'>,
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
