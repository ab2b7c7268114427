import { setImmediate as otherWork } from 'node:timers/promises';
import { type Cost, parseAmount, sumCosts, toWireCost } from '../contract/reply/cost.ts';
import type { ImagePlan, PlanCost, PlannedRoute } from '../contract/reply/image-plan.ts';
import type { PlanBatchResult, RouteSum } from '../contract/reply/plan-batch-result.ts';
import type { PlanRequest } from '../contract/request/image-request.ts';
import type { PlanBatch } from '../contract/request/plan-batch.ts';

type PlanOne = (request: PlanRequest) => Promise<ImagePlan>;
type Sum = PlanBatchResult['total'];

/** The plan of one prompt on one route. */
interface Planned {
  readonly prompt: number;
  readonly route: PlannedRoute;
}

/** Plans each prompt on each route, and sums the plans. Other work runs after each plan. */
export async function planBatch(
  { prompts, routes, ...request }: PlanBatch,
  planOne: PlanOne,
): Promise<PlanBatchResult> {
  const images = request.parameters.n;
  const sums: RouteSum[] = [];
  const accepted: PlannedRoute[] = [];
  for (const { provider, model = null } of routes) {
    const planned: Planned[] = [];
    for (const [index, prompt] of prompts.entries()) {
      const routing = { ...request.routing, provider, model };
      const [route] = (await planOne({ ...request, prompt, routing })).routes;
      if (route) planned.push({ prompt: index, route });
      await otherWork();
    }
    const [first] = planned;
    if (!first) continue;
    accepted.push(...planned.map(({ route }) => route).filter(isAccepted));
    sums.push(toRouteSum(first.route, planned, images));
  }
  return { routes: sums, total: toSum(accepted, images) };
}

function isAccepted({ calls }: PlannedRoute): boolean {
  return calls > 0;
}

function toRouteSum(
  { provider, model, ready }: PlannedRoute,
  planned: readonly Planned[],
  images: number,
): RouteSum {
  const accepted = planned.map(({ route }) => route).filter(isAccepted);
  const [example] = accepted;
  return {
    provider,
    model,
    ready,
    ...toSum(accepted, images),
    normalizations: example?.normalizations ?? [],
    warnings: example?.warnings ?? [],
    refused: planned.flatMap(({ prompt, route: { calls, error } }) =>
      calls === 0 && error ? [{ prompt, error }] : [],
    ),
    ...(example?.error && { error: example.error }),
  };
}

function toSum(accepted: readonly PlannedRoute[], images: number): Sum {
  const costs = accepted.flatMap(({ cost }) => cost ?? []);
  const countOf = (basis: PlanCost['basis']) => costs.filter((cost) => cost.basis === basis).length;
  return {
    requests: accepted.length,
    calls: accepted.reduce((sum, { calls }) => sum + calls, 0),
    images: accepted.length * images,
    unpriced: countOf('unknown'),
    free: countOf('free'),
    ...(accepted.length > 0 && { cost: toCost(costs) }),
  };
}

function toCost(costs: readonly PlanCost[]): PlanCost {
  const cost = toWireCost(sumCosts(costs.map(toAmount)));
  if (cost.currency === undefined) return cost;
  return { ...cost, bound: costs.some(({ bound }) => bound === 'at_most') ? 'at_most' : 'exact' };
}

function toAmount({ amount = '0', basis }: PlanCost): Cost {
  return { amount: parseAmount(amount) ?? 0n, basis };
}
