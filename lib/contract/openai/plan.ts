import * as v from 'valibot';
import { DescribedInput, PlanInput } from '../request/image-input.ts';
import { PlanRequest } from '../request/image-request.ts';
import { closedObject, eitherOf } from '../schema/closed-object.ts';
import { documented } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { openObject } from '../schema/open-object.ts';
import { limitedList } from '../schema/request-limits.ts';
import { BridgeExt, EditsBody, GenerationsBody, ImageReference } from './images.ts';

/** An image of an edit: a data URL or a description. */
const image = eitherOf(ImageReference, DescribedInput, (input) => 'type' in input);

const bridge_ext = v.optional(
  closedObject({
    ...BridgeExt.entries,
    reference_images: v.optional(limitedList(PlanInput, 'maxInputs')),
  }),
);

const message = coded('invalid_value', 'must be generate or edit');

/** A request of `POST /v1/images/generations` that is to be planned. */
export const GenerationPlan = openObject({
  operation: v.literal('generate', message),
  ...GenerationsBody.entries,
  bridge_ext,
});

/** A JSON request of `POST /v1/images/edits` that is to be planned. */
export const EditPlan = openObject({
  operation: v.literal('edit'),
  ...EditsBody.entries,
  bridge_ext,
  images: limitedList(image, 'maxInputs'),
  mask: v.optional(image),
});

/** The body of `POST /v1/plan` with a request of an OpenAI-compatible route. */
export const OpenAiPlanRequest = closedObject({
  openai: documented(
    eitherOf(GenerationPlan, EditPlan, ({ operation }) => operation === 'edit'),
    'The JSON body of POST /v1/images/generations or /v1/images/edits, with `operation` to select the route.',
  ),
});
export type OpenAiPlanRequest = v.InferOutput<typeof OpenAiPlanRequest>;

/** The body of `POST /v1/plan`. */
export const PlanBody = eitherOf(PlanRequest, OpenAiPlanRequest, (input) => 'openai' in input);
