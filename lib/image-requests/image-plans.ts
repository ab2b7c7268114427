import type { ImagePlan, PlannedRoute } from '../contract/reply/image-plan.ts';
import { WARNINGS, type Warning } from '../contract/reply/image-response.ts';
import type { PlanRequest } from '../contract/request/image-request.ts';
import type { Parameters } from '../contract/request/parameters.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { Routing } from '../contract/request/routing.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { toFlatError } from '../errors/error-body.ts';
import { fallsBack } from '../generation/call/fallback.ts';
import { toParameters } from '../generation/generation-request.ts';
import type { Plan } from '../generation/plan/plan.ts';
import type { PlanRoutes, PlannedRoute as Route } from '../generation/plan-routes.ts';

interface Deps {
  readonly planRoutes: PlanRoutes;
  /** The error that a provider would refuse work with now, as far as it is known without a call. */
  readonly findFault: (provider: string) => BridgeError | undefined;
}

/** A route and why its provider is not ready; undefined if it is. */
type Candidate = Route & { readonly fault: BridgeError | undefined };

export type ImagePlans = ReturnType<typeof createImagePlans>;

/** Reports what would become of a request on each of its routes. */
export function createImagePlans({ planRoutes, findFault }: Deps) {
  return {
    /** Throws `invalid_request` for a provider that is not registered, `configuration`. */
    async plan(
      sent: PlanRequest,
      context: Pick<RequestContext, 'requestId' | 'scope'>,
    ): Promise<ImagePlan> {
      const planned = await planRoutes(sent, context);
      const routes = planned.map((route) => ({ ...route, fault: findFault(route.provider) }));
      const requested = toParameters(sent.parameters);
      return {
        chosen: chosenOf(routes, sent.routing.fallback_policy),
        routes: routes.map((route) => toReport(route, requested)),
      };
    },
  };
}

/** Where the work would go. A provider that is not ready refuses it, and the next route is tried. */
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
    ...(fault && { error: toFlatError(fault) }),
  };
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
