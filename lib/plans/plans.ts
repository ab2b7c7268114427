import type { OpenAiPlanRequest } from '../contract/openai/plan.ts';
import { toWireCost, UNKNOWN_COST } from '../contract/reply/cost.ts';
import type { ImagePlan, PlanCost, PlannedRoute } from '../contract/reply/image-plan.ts';
import { WARNINGS, type Warning } from '../contract/reply/image-response.ts';
import type { PlanBatchResult } from '../contract/reply/plan-batch-result.ts';
import type { PlanInput } from '../contract/request/image-input.ts';
import type { PlanRequest } from '../contract/request/image-request.ts';
import type { Parameters } from '../contract/request/parameters.ts';
import type { PlanBatch } from '../contract/request/plan-batch.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { Routing } from '../contract/request/routing.ts';
import type { RequestLimits } from '../contract/schema/request-limits.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { toFlatError } from '../errors/error-body.ts';
import { toParameters } from '../generation/generation-request.ts';
import type { Plan } from '../generation/plan/plan.ts';
import { plannedCredentials } from '../generation/plan/planned-credentials.ts';
import { fallsBack } from '../generation/plan/routing.ts';
import type { PlanRoutes, RouteOutcome } from '../generation/plan-routes.ts';
import { toCallersDetails, toCallersError } from '../openai/field-names.ts';
import type { Models } from '../openai/models.ts';
import {
  imagesOf,
  imagesOfJson,
  type SentRequest,
  type Translation,
  toImageRequest,
} from '../openai/to-image-request.ts';
import { withCallersFields } from '../openai/to-response.ts';
import type { PlannedCost, PriceList } from '../prices/price-list.ts';
import { planBatch } from './plan-batch.ts';

interface Deps {
  readonly planRoutes: PlanRoutes;
  /**
   * Returns the error with which a provider would reject work now, if the error is known without a call. Returns undefined
   * otherwise.
   */
  readonly findFault: (provider: string) => BridgeError | undefined;
  readonly prices: Pick<PriceList, 'plan'>;
  /** True if the bridge signs images. */
  readonly signs: boolean;
  readonly models: Pick<Models, 'resolve'>;
  readonly limits: RequestLimits;
}

/** A planned route. `fault` is undefined if the provider is ready. */
type Candidate = RouteOutcome & { readonly fault: BridgeError | undefined };

export type Plans = ReturnType<typeof createPlans>;

/** Plans a native or an OpenAI request for each of its routes. The request is not run. */
export function createPlans({ planRoutes, findFault, prices, signs, ...deps }: Deps) {
  async function planNative(
    sent: PlanRequest,
    context: Pick<RequestContext, 'requestId' | 'scope'>,
  ): Promise<ImagePlan> {
    const planned = await planRoutes(sent, context);
    const routes = planned.map((route) => ({ ...route, fault: findFault(route.provider) }));
    const requested = toParameters(sent.parameters);
    return {
      chosen: chosenOf(routes, sent.routing.fallback_policy),
      routes: routes.map((route) => toReport(route, requested, { prices, signs })),
    };
  }

  /** Plans an OpenAI request. The plan has the field names of the OpenAI request. */
  async function planOpenAi(
    sent: SentRequest<PlanInput>,
    context: RequestContext,
  ): Promise<ImagePlan> {
    const translation = toImageRequest(sent, deps);
    try {
      const { chosen, routes } = await planNative(translation.request, context);
      return { chosen, routes: routes.map((route) => toCallersRoute(route, translation)) };
    } catch (thrown) {
      throw toCallersError(thrown, translation.nameOf);
    }
  }

  return {
    /** Resolves with the plans of each prompt on each route. Throws `configuration`. */
    planBatch: (body: PlanBatch, context: RequestContext): Promise<PlanBatchResult> =>
      planBatch(body, (request) => planNative(request, context)),

    /** Resolves with the plan. Throws `invalid_request`, for example if a provider is not registered, and `configuration`. */
    async plan(body: PlanRequest | OpenAiPlanRequest, context: RequestContext): Promise<ImagePlan> {
      if (!('openai' in body)) return planNative(body, context);
      try {
        return await planOpenAi(toSentRequest(body.openai), context);
      } catch (thrown) {
        // The body of a plan contains the OpenAI request in the field `openai`.
        throw toCallersError(thrown, (path) => `openai.${path}`);
      }
    },
  };
}

/** Returns the index of the route that would be used, or null. A route whose provider is not ready is skipped. */
function chosenOf(routes: readonly Candidate[], policy: Routing['fallback_policy']): number | null {
  for (const [index, { outcome, fault }] of routes.entries()) {
    if (!(outcome instanceof BridgeError)) {
      if (!fault) return index;
    } else if (!fallsBack(outcome, policy)) {
      return null;
    }
  }
  return null;
}

function toReport(
  { outcome, fault, provider, model }: Candidate,
  requested: Parameters,
  { prices, signs }: Pick<Deps, 'prices' | 'signs'>,
): PlannedRoute {
  const route = { provider, model, ready: fault === undefined };
  if (outcome instanceof BridgeError) {
    const nothing = { calls: 0, effective: requested, normalizations: [], warnings: [] };
    return { ...route, ...nothing, error: toFlatError(outcome) };
  }
  const { ask, report } = outcome;
  return {
    ...route,
    calls: ask.calls.length,
    effective: report.record.effective,
    normalizations: [...report.normalizations],
    warnings: warningsOf(outcome),
    ...transparencyOf(outcome),
    ...(report.edit && { edit: report.edit }),
    credentials: plannedCredentials(outcome, signs),
    cost: toPlanCost(prices.plan(ask.priced)),
    ...(fault && { error: toFlatError(fault) }),
  };
}

function toPlanCost({ amount, isFree, isExact }: PlannedCost): PlanCost {
  if (amount === undefined) return toWireCost(UNKNOWN_COST);
  const cost = toWireCost({ amount, basis: isFree ? 'free' : 'priced' });
  return { ...cost, bound: isExact ? 'exact' : 'at_most' };
}

function warningsOf({ finish, report }: Plan): Warning[] {
  const isConverted = finish.providerFormat !== finish.encoding.format;
  return WARNINGS.filter(
    (warning) =>
      report.warnings.includes(warning) || (warning === 'output_format_converted' && isConverted),
  );
}

function transparencyOf({ finish, report }: Plan): Pick<PlannedRoute, 'transparency'> {
  if (finish.matte) {
    return { transparency: { mode: 'chroma_key', key_color: finish.matte.keyColor } };
  }
  const isNative = report.record.effective.background === 'transparent';
  return isNative ? { transparency: { mode: 'native' } } : {};
}

function toSentRequest(body: OpenAiPlanRequest['openai']): SentRequest<PlanInput> {
  const { fields } = body;
  return 'images' in fields
    ? { operation: 'edit', body, images: imagesOfJson<PlanInput>(fields) }
    : { operation: 'generate', body, images: imagesOf<PlanInput>(fields.bridge_ext) };
}

function toCallersRoute(route: PlannedRoute, translation: Translation<PlanInput>): PlannedRoute {
  const { error, calls } = route;
  const renamed = calls === 0 ? route : { ...route, ...withCallersFields(route, translation) };
  if (!error) return renamed;
  const details = toCallersDetails(error.details, translation.nameOf);
  return { ...renamed, error: { ...error, details } };
}
