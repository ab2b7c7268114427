import * as v from 'valibot';
import { DescribedInput, PlanInput } from '../request/image-input.ts';
import { PlanRequest } from '../request/image-request.ts';
import { closedObject, eitherOf } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { coded } from '../schema/issues.ts';
import { limitedList } from '../schema/limited-list.ts';
import { openObject } from '../schema/open-object.ts';
import { BridgeExt, EditsBody, GenerationsBody, ImageReference } from './images.ts';

/** An image of an edit: sent as a data URL, or described. */
const image = eitherOf(ImageReference, DescribedInput, (input) => 'type' in input);

const bridge_ext = v.optional(
  closedObject({
    ...BridgeExt.entries,
    reference_images: v.optional(limitedList(PlanInput, 'maxInputs')),
  }),
);

const message = coded('invalid_value', 'must be generate or edit');

/** What `POST /v1/images/generations` takes. */
export const GenerationPlan = openObject({
  operation: v.literal('generate', message),
  ...GenerationsBody.entries,
  bridge_ext,
});

/** What `POST /v1/images/edits` takes as JSON. */
export const EditPlan = openObject({
  operation: v.literal('edit'),
  ...EditsBody.entries,
  bridge_ext,
  images: limitedList(image, 'maxInputs'),
  mask: v.optional(image),
});

/** `POST /v1/plan` with a request of the OpenAI-familiar routes. */
export const OpenAiPlanRequest = closedObject({
  openai: documented(
    eitherOf(GenerationPlan, EditPlan, ({ operation }) => operation === 'edit'),
    'What POST /v1/images/generations or /v1/images/edits takes as JSON, and which of the two.',
  ),
});
export type OpenAiPlanRequest = v.InferOutput<typeof OpenAiPlanRequest>;

/** The body of `POST /v1/plan`. */
export const PlanBody = eitherOf(PlanRequest, OpenAiPlanRequest, (input) => 'openai' in input);
