import * as v from 'valibot';

/** JSON Schema keywords for checks that a converter cannot detect. */
export type SchemaKeywords = Readonly<Record<string, unknown>>;

/** Adds a description and JSON Schema keywords to a schema. */
export function documented<const S extends v.GenericSchema>(
  schema: S,
  description: string,
  keywords: SchemaKeywords = {},
) {
  return v.pipe(schema, v.metadata({ description, ...keywords }));
}
