import type { PlanRequest } from '../contract/request/image-request.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { InputForecast } from '../inputs/input-forecast.ts';
import type { InputFacts, InputSet } from '../inputs/input-source.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { type PlannedRequest, toGenerationRequest } from './generation-request.ts';
import type { GenerationContext } from './pipeline.ts';
import { makePlan, type Plan, toTurnRequest } from './plan/plan.ts';
import { type Candidate, resolveCandidates, toRoute } from './plan/routing.ts';
import type { SessionTurns } from './session-turns-port.ts';

interface Deps {
  readonly registry: ProviderRegistry;
  readonly sessions: Pick<SessionTurns, 'check'>;
  readonly inputs: InputForecast;
}

/** One route of a request, with the plan of the request on this route or the error with which the route refuses the request. */
export interface RouteOutcome {
  readonly provider: string;
  readonly model: string;
  readonly outcome: Plan | BridgeError;
}

export type PlanRoutes = ReturnType<typeof createPlanRoutes>;

/**
 * Plans a request on each of its routes, with the same steps and in the same order as the pipeline before admission. Does not
 * decode images, call a provider or store anything.
 */
export function createPlanRoutes({ registry, sessions, inputs }: Deps) {
  /**
   * Returns the routes in the order of the request. Throws `invalid_request` if a provider is not registered, and `configuration`
   * if the request names no provider and there is no default provider.
   */
  return async function planRoutes(
    sent: PlanRequest,
    context: Pick<GenerationContext, 'requestId' | 'scope'>,
  ): Promise<readonly RouteOutcome[]> {
    let prepared: Promise<InputSet<InputFacts>> | undefined;

    async function prepare({ ask }: Plan, request: PlannedRequest): Promise<InputSet<InputFacts>> {
      const turn = toTurnRequest(ask, context);
      if (turn) await sessions.check(turn);
      return inputs.measure(request.inputs, context.scope);
    }

    async function planOn(candidate: Candidate): Promise<Plan> {
      const request = toGenerationRequest(sent, inputs.toSources(sent));
      const plan = makePlan(context.requestId, request, toRoute(candidate, registry));
      prepared ??= prepare(plan, request);
      return plan.withInputs(await prepared);
    }

    const routes: RouteOutcome[] = [];
    for (const candidate of resolveCandidates(sent.routing, registry)) {
      const { provider, model } = candidate;
      const outcome = await planOn(candidate).catch(toRefusal);
      routes.push({ provider: provider.name, model, outcome });
    }
    return routes;
  };
}

/** Returns a `BridgeError` as the outcome of a route. Throws any other error, because it is a fault of the bridge. */
function toRefusal(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  throw thrown;
}
