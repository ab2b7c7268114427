import * as v from 'valibot';
import type { FlatError } from '../../errors/error-body.ts';
import { Parameters } from '../request/parameters.ts';
import { documented } from '../schema/documented.ts';
import { Count } from '../schema/fields.ts';
import { FlatBridgeError } from './error.ts';
import { Normalization, WARNINGS } from './image-response.ts';

/** How the transparent background comes about. */
export const PlannedTransparency = v.variant('mode', [
  v.strictObject({ mode: v.literal('native') }),
  v.strictObject({
    mode: v.literal('chroma_key'),
    key_color: documented(v.string(), 'The background to ask for and to cut out, as #RRGGBB.'),
  }),
]);

/** What a request becomes on one route. */
export const PlannedRoute = v.strictObject({
  provider: v.string(),
  model: v.string(),
  ready: documented(
    v.boolean(),
    'Whether the last probe found the provider ready and its circuit breaker admits a request.',
  ),
  calls: documented(Count, 'How many calls of the provider it takes; 0 where it is refused.'),
  effective: documented(Parameters, 'What takes effect; as requested where it is refused.'),
  normalizations: v.array(Normalization),
  warnings: documented(
    v.array(v.picklist(WARNINGS)),
    'Those that are known before the work; the reply may have more.',
  ),
  transparency: documented(
    v.optional(PlannedTransparency),
    'Only for a transparent background that the provider or the bridge makes.',
  ),
  error: documented(
    v.optional(FlatBridgeError),
    'What refuses the request on this route; where `calls` is above 0, why the provider is not ready now.',
  ),
});

/** The reply of `POST /v1/plan`. */
export const ImagePlan = v.strictObject({
  chosen: documented(
    v.nullable(Count),
    'The index of the first route that takes the request and is ready; null where no route does.',
  ),
  routes: documented(v.array(PlannedRoute), 'In the order in which they are tried.'),
});
export interface ImagePlan extends Pick<v.InferOutput<typeof ImagePlan>, 'chosen'> {
  readonly routes: readonly PlannedRoute[];
}
export type PlannedRoute = Omit<v.InferOutput<typeof PlannedRoute>, 'error'> & {
  readonly error?: FlatError;
};
