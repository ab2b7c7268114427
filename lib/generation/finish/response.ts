import { type Cost, toWireCost } from '../../contract/reply/cost.ts';
import {
  type Attempt,
  type Delivered,
  type ImageResponseWithBytes,
  type Timings,
  WARNINGS,
  type Warning,
} from '../../contract/reply/image-response.ts';
import { toFlatError } from '../../errors/error-body.ts';
import type { OutputFailure, RouteResult } from '../call/outcome.ts';
import type { EarlierImage } from '../earlier-work-port.ts';
import type { Plan } from '../plan/plan.ts';

/** The outcome of one generation before its images are delivered. */
export interface Outcome {
  readonly plan: Plan;
  readonly completedSecs: number;
  readonly result: RouteResult;
  /** The images that an ended process has published. Undefined unless the outcome is the outcome of a job that continued. */
  readonly earlierImages?: readonly EarlierImage[] | undefined;
  /** The routes that were tried. Undefined unless the request has fallbacks. */
  readonly attempts: readonly Attempt[] | undefined;
}

/** Returns each warning once, in the order of `WARNINGS`. */
export function warningsOf({ plan, result }: Pick<Outcome, 'plan' | 'result'>): Warning[] {
  const all = [...plan.report.warnings, ...result.warnings];
  return WARNINGS.filter((warning) => all.includes(warning));
}

/** Creates the reply to one generation. `cost` is the cost of all its calls, on all routes. */
export function toImageResponse(
  outcome: Outcome,
  { data }: Pick<ImageResponseWithBytes, 'data'>,
  timings: Timings,
  cost: Cost,
): ImageResponseWithBytes {
  const { plan, result, attempts, completedSecs } = outcome;
  const { record, normalizations } = plan.report;
  const revisedPrompt = data[0]?.revised_prompt;
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
    cost: toWireCost(cost),
    ...(result.session ? { session: result.session } : {}),
    timings,
    delivered: verdictsOf(outcome),
    warnings: warningsOf(outcome),
  };
}

function verdictsOf({ result, earlierImages = [] }: Outcome): Delivered[] {
  const earlier = earlierImages.flatMap(({ facts }) => facts.delivered ?? []);
  const own = result.outputs.map(({ verdict }) => verdict);
  return [...earlier, ...own].sort((a, b) => a.index - b.index);
}

function toFailure({ index, error, generationMs }: OutputFailure) {
  const { details, suggestions, ...rest } = toFlatError(error);
  return {
    index,
    error: { ...rest, details: { ...details }, suggestions: [...suggestions] },
    generation_ms: generationMs,
  };
}
