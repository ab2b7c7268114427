import * as v from 'valibot';

/** Keywords of JSON Schema, for what a check does and no converter can see. */
export type SchemaKeywords = Readonly<Record<string, unknown>>;

/** The same schema, with what its name does not say and what its checks hide from readers of the documents. */
export function documented<const S extends v.GenericSchema>(
  schema: S,
  description: string,
  keywords: SchemaKeywords = {},
) {
  return v.pipe(schema, v.metadata({ description, ...keywords }));
}
