import * as v from 'valibot';
import type { FlatError } from '../../errors/error-body.ts';
import { Parameters } from '../request/parameters.ts';
import { Count, documented } from '../schema/fields.ts';
import { costEntries } from './cost.ts';
import { FlatBridgeError } from './error.ts';
import { Normalization, WARNINGS } from './image-response.ts';

/** The method with which the transparent background is made. */
export const PlannedTransparency = v.variant('mode', [
  v.strictObject({ mode: v.literal('native') }),
  v.strictObject({
    mode: v.literal('chroma_key'),
    key_color: documented(v.string(), 'The background colour to request and remove, as #RRGGBB.'),
  }),
]);

/** The cost of a request before it is sent. */
export const PlanCost = v.strictObject({
  ...costEntries,
  bound: documented(
    v.optional(v.picklist(['exact', 'at_most'])),
    'Present with an amount. `exact`: the amount is the cost. `at_most`: the amount is an upper bound of the cost.',
  ),
});
export type PlanCost = v.InferOutput<typeof PlanCost>;

const pixels = v.pipe(v.number(), v.integer());
const edges = { width: pixels, height: pixels };

/** The sizes of a masked edit, and the treatment of the pixels outside its mask. */
export const PlannedEdit = v.strictObject({
  drawn: documented(v.strictObject(edges), 'The size of the image that the model draws.'),
  cut: documented(
    v.strictObject({ x: pixels, y: pixels, ...edges }),
    'The part of the drawn image that the bridge uses.',
  ),
  result: documented(
    v.strictObject(edges),
    'The size of the result. If the result is larger than `cut`, the bridge enlarges the drawn part.',
  ),
  put_back: documented(
    v.boolean(),
    'True if the bridge restores the pixels of the source outside the mask exactly. False if the model keeps these pixels itself.',
  ),
});

export type PlannedEdit = v.InferOutput<typeof PlannedEdit>;

/** The plan of a request for one route. */
export const PlannedRoute = v.strictObject({
  provider: v.string(),
  model: v.string(),
  ready: documented(
    v.boolean(),
    'True if the last probe found the provider ready and its circuit breaker admits a request.',
  ),
  calls: documented(Count, 'The number of provider calls; 0 if the route rejects the request.'),
  effective: documented(
    Parameters,
    'The effective parameters; the requested parameters if the route rejects the request.',
  ),
  normalizations: v.array(Normalization),
  warnings: documented(
    v.array(v.picklist(WARNINGS)),
    'The warnings that are known in advance. The reply may contain more.',
  ),
  transparency: documented(
    v.optional(PlannedTransparency),
    'Present only if a transparent background is made by the provider or the bridge.',
  ),
  edit: documented(
    v.optional(PlannedEdit),
    'Present if the request has a mask, or a canvas beyond its image, and the sizes are known.',
  ),
  credentials: documented(
    v.optional(v.picklist(['would_keep', 'would_resign', 'would_drop'])),
    'The planned treatment of valid credentials (C2PA) in the images that the provider returns. The plan does not know whether the provider signs its images. Absent if the route rejects the request.',
  ),
  cost: documented(
    v.optional(PlanCost),
    'The cost of the request on this route. Absent if the route rejects the request.',
  ),
  error: documented(
    v.optional(FlatBridgeError),
    'The error with which the route rejects the request. If `calls` is above 0, the reason why the provider is not ready now.',
  ),
});

/** The reply of `POST /v1/plan`. */
export const ImagePlan = v.strictObject({
  chosen: documented(
    v.nullable(Count),
    'The index of the first route that accepts the request and is ready; null if there is no such route.',
  ),
  routes: documented(v.array(PlannedRoute), 'The routes in the order in which they are tried.'),
});
export interface ImagePlan extends Pick<v.InferOutput<typeof ImagePlan>, 'chosen'> {
  readonly routes: readonly PlannedRoute[];
}
export type PlannedRoute = Omit<v.InferOutput<typeof PlannedRoute>, 'error'> & {
  readonly error?: FlatError;
};
