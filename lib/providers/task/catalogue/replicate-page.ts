import * as v from 'valibot';
import type { ParsePage } from '../../catalogue/catalogue-page.ts';
import { toItems } from './endpoint-facts.ts';

// Source: Replicate's OpenAPI document, 2026-11.

const Part = v.pipe(v.string(), v.regex(/^\w[\w.-]{0,62}$/));
const Named = v.object({ owner: Part, name: Part });
const Collection = v.object({ models: v.array(v.unknown()) });
const Model = v.object({
  ...Named.entries,
  latest_version: v.object({ openapi_schema: v.unknown() }),
});

const INPUT = '/components/schemas/Input';

/** The list of all models that make images from prompts. */
export const REPLICATE_COLLECTION = '/collections/text-to-image';

/** Returns the paths of listed models. The name of a version has the inputs of its model. */
export function replicateModels(listed: readonly string[]): readonly string[] {
  const names = listed.map((name) => name.split(':')[0] ?? name);
  return [...new Set(names)].map((name) => `/models/${name}`);
}

/** Parses a collection, which names the models to read, or one model with the schema of its input. */
export const parseReplicatePage: ParsePage = (reply, { constants }) => {
  const collection = v.safeParse(Collection, reply);
  if (collection.success) {
    const named = collection.output.models.flatMap((item) => {
      const parsed = v.safeParse(Named, item);
      return parsed.success ? [`/models/${parsed.output.owner}/${parsed.output.name}`] : [];
    });
    return { items: [], more: named };
  }
  const model = v.safeParse(Model, reply);
  if (!model.success) return v.is(Named, reply) ? { items: [], more: [] } : undefined;
  const { owner, name, latest_version: version } = model.output;
  const full = `${owner}/${name}`;
  const document = version.openapi_schema;
  return { items: toItems(full, { document, at: INPUT }, constants[full]), more: [] };
};
