import type { ImagePlan, PlanCost, PlannedRoute } from '../../lib/contract/reply/image-plan.ts';
import type { RequestBody } from '../client/jobs.ts';
import type { Service } from '../client/service.ts';
import type { CommandIo } from './command-io.ts';
import type { JsonOption } from './command-table/options.ts';
import { printJson, printTable } from './print.ts';

/**
 * Prints the plan of a request: for each route its provider calls and their cost, or the reason why the route rejects the request.
 * Resolves with the exit code: 1 if no route can be used now.
 */
export async function showPlan(
  service: Service,
  { priority: _, webhook: __, ...body }: RequestBody,
  { json }: JsonOption,
  io: CommandIo,
): Promise<number> {
  const plan = await service.json<ImagePlan>('/v1/plan', { method: 'POST', body });
  const { chosen, routes } = plan;
  if (json) printJson(plan, io);
  else {
    const rows = routes.map((route, index) => toRow(route, index === chosen));
    printTable(['PROVIDER', 'MODEL', 'CALLS', 'COST', 'CREDENTIALS', 'STATE'], rows, io);
  }
  return chosen === null ? 1 : 0;
}

function toRow(route: PlannedRoute, isChosen: boolean): string[] {
  const { provider, model, calls, cost, credentials, ready, error } = route;
  const unchosen = ready ? 'fallback' : 'not ready';
  const state = error?.message ?? (isChosen ? 'used' : unchosen);
  // `would_keep` becomes "would keep".
  const outcome = credentials?.replace('_', ' ') ?? '';
  return [provider, model, String(calls), cost ? toText(cost) : '', outcome, state];
}

function toText({ amount, currency, basis, bound }: PlanCost): string {
  if (amount === undefined || basis === 'free') return basis;
  return `${bound === 'at_most' ? 'at most ' : ''}${amount} ${currency}`;
}
