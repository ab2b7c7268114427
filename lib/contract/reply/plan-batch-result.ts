import * as v from 'valibot';
import type { FlatError } from '../../errors/error-body.ts';
import { Count, documented } from '../schema/fields.ts';
import { FlatBridgeError } from './error.ts';
import { PlanCost, PlannedRoute } from './image-plan.ts';

const counts = {
  requests: documented(Count, 'The number of accepted requests.'),
  calls: documented(Count, 'The number of provider calls of the accepted requests.'),
  images: documented(Count, 'The number of images of the accepted requests.'),
  unpriced: documented(
    Count,
    'The number of accepted requests with an unknown cost. `known_amount` of the cost is the sum of the others.',
  ),
  free: documented(Count, 'The number of accepted requests that cost nothing.'),
  cost: documented(
    v.optional(PlanCost),
    'The sum of the costs of the accepted requests. Absent if no request is accepted.',
  ),
};

const { provider, model, ready, normalizations, warnings } = PlannedRoute.entries;

/** The plan of all prompts for one route. */
export const RouteSum = v.strictObject({
  provider,
  model,
  ready,
  ...counts,
  normalizations: documented(normalizations, 'The changes of the first accepted request.'),
  warnings,
  refused: documented(
    v.array(
      v.strictObject({
        prompt: documented(Count, 'The index of the prompt.'),
        error: FlatBridgeError,
      }),
    ),
    'The prompts that the route rejects, each with its error.',
  ),
  error: documented(v.optional(FlatBridgeError), 'The reason why the provider is not ready now.'),
});

/** The reply of `POST /v1/plan/batch`. */
export const PlanBatchResult = v.strictObject({
  routes: documented(v.array(RouteSum), 'The routes in the order of the request.'),
  total: documented(
    v.strictObject(counts),
    'The sums over all routes, whether or not their providers are ready.',
  ),
});

type RefusedPrompt = { readonly prompt: number; readonly error: FlatError };
export type RouteSum = Omit<v.InferOutput<typeof RouteSum>, 'error' | 'refused'> & {
  readonly refused: readonly RefusedPrompt[];
  readonly error?: FlatError;
};
export interface PlanBatchResult extends Pick<v.InferOutput<typeof PlanBatchResult>, 'total'> {
  readonly routes: readonly RouteSum[];
}
