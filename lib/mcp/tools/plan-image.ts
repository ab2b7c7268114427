import * as v from 'valibot';
import type { ImagePlan } from '../../contract/reply/image-plan.ts';
import { imageFields, inputFields, toRequestBody } from '../image-fields.ts';
import { textResult, tool } from '../tool.ts';

export const planImage = tool({
  name: 'plan_image',
  title: 'Plan an image',
  description:
    'Says what generate_image or edit_image would do, without doing it: which model, how many calls, what would be made differently, what would be refused. Costs nothing. Example: {"prompt": "a banner", "size": "3000x500"}',
  input: v.strictObject({
    ...imageFields,
    images: v.optional(inputFields.images),
    mask: inputFields.mask,
    reference_images: inputFields.reference_images,
  }),
  isReadOnly: true,
  async run(input, context) {
    const body = await toRequestBody(input, context);
    const { signal, api } = context;
    const plan = await api.json<ImagePlan>('POST /v1/plan', { body, signal });
    return textResult(...plan.routes.map((route, index) => lineOf(route, index === plan.chosen)));
  },
});

type Route = ImagePlan['routes'][number];

function lineOf(route: Route, isChosen: boolean): string {
  const { provider, model, calls, effective, normalizations, ready, error } = route;
  const head = `${isChosen ? 'Chosen' : 'Not chosen'}: ${model} (${provider})`;
  if (error && calls === 0) return `${head} would refuse it: ${error.code}: ${error.message}`;
  const changes = normalizations.map(
    ({ field, requested, effective: made }) =>
      `${field} ${JSON.stringify(requested)} becomes ${JSON.stringify(made)}`,
  );
  const parts = [
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    `size ${effective?.size ?? 'auto'}`,
    ...changes,
    ...(ready ? [] : [`the provider is not ready now${error ? `: ${error.message}` : ''}`]),
  ];
  return `${head}: ${parts.join('; ')}.`;
}
