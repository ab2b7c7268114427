import * as v from 'valibot';
import { documented, UnixSecs } from '../schema/fields.ts';

/** A model in the form that OpenAI's clients expect. */
export const Model = v.strictObject({
  id: documented(v.string(), 'A model name, provider/model, or an alias.'),
  object: v.literal('model'),
  created: UnixSecs,
  owned_by: documented(v.string(), 'The provider that serves the model.'),
});
export type Model = v.InferOutput<typeof Model>;

export const ModelList = v.strictObject({ object: v.literal('list'), data: v.array(Model) });
export type ModelList = v.InferOutput<typeof ModelList>;

/** The path parameters of a model. The id may contain slashes, percent-encoded or not. */
export const ModelPath = v.strictObject({ id: v.string() });
