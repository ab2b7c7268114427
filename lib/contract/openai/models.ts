import * as v from 'valibot';
import { documented } from '../schema/documented.ts';
import { UnixSecs } from '../schema/fields.ts';

/** A model as OpenAI's clients list it (contract.md 10). */
export const Model = v.strictObject({
  id: documented(v.string(), 'A bare name, provider/model, or an alias.'),
  object: v.literal('model'),
  created: UnixSecs,
  owned_by: documented(v.string(), 'The provider that the id goes to.'),
});
export type Model = v.InferOutput<typeof Model>;

export const ModelList = v.strictObject({ object: v.literal('list'), data: v.array(Model) });
export type ModelList = v.InferOutput<typeof ModelList>;

/** The id may hold a slash, encoded or not. */
export const ModelPath = v.strictObject({ id: v.string() });
