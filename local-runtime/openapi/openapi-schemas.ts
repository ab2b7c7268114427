import type { JsonObject } from '../../lib/contract/document/conversion.ts';

/**
 * A record that is stored in files and is in no body. OpenAPI 3.1 cannot describe it, so its schema is in the `$defs` of
 * the field that asks for it.
 */
export const PAYLOADS = [
  { component: 'ImageOutput', field: 'metadata', payload: 'ImageMetadataRecord' },
] as const;

/** `components.schemas` of the document. */
export function toDocumentSchemas(schemas: Readonly<Record<string, JsonObject>>): JsonObject {
  return mapValues(schemas, (schema, name) => {
    const documented = defaultsInWords(asObject(schema));
    const own = PAYLOADS.filter(({ component }) => component === name);
    if (own.length === 0) return documented;
    const properties = { ...asObject(documented['properties']) };
    for (const { field, payload } of own) {
      const $defs = { [payload]: { $ref: `#/components/schemas/${payload}` } };
      properties[field] = { ...asObject(properties[field]), $defs };
    }
    return { ...documented, properties };
  });
}

/**
 * Moves defaults from the keyword into the descriptions. Client generators read the keyword as a value that is always
 * present and require or send it, while the bridge distinguishes parameters that were named from those that were not.
 */
function defaultsInWords(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, mapValues(asObject(value), describedProperty)];
      if (Array.isArray(value)) return [keyword, value.map(describedItem)];
      return [keyword, keyword === 'items' ? defaultsInWords(asObject(value)) : value];
    }),
  );
}

function describedProperty(value: unknown): JsonObject {
  const { default: given, description, ...rest } = defaultsInWords(asObject(value));
  const words = [
    ...(typeof description === 'string' ? [description] : []),
    // An empty object, list or null says no more than that the field is optional.
    ...(given === undefined || typeof given === 'object' ? [] : [`Default: \`${String(given)}\`.`]),
  ];
  return words.length === 0 ? rest : { ...rest, description: words.join(' ') };
}

/** An alternative of `oneOf` and the like; an item of `enum` or `required` stays what it is. */
function describedItem(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? defaultsInWords(asObject(value)) : value;
}

function asObject(value: unknown): JsonObject {
  // Schemas and their parts are objects but for `true` and `false`, which no converter of ours writes.
  return Object(value) as JsonObject;
}

function mapValues(
  object: JsonObject,
  change: (value: unknown, key: string) => JsonObject,
): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, change(value, key)]),
  );
}
