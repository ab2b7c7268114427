import type { JsonObject } from '../lib/contract/document/json-schema.ts';

/**
 * What crosses the wire without being a body, or a part of one: the record that a file carries. OpenAPI 3.1 has no place
 * for it; it stands as `$defs` with the field that asks for it.
 */
export const PAYLOADS = [
  { component: 'ImageOutput', field: 'metadata', payload: 'ImageMetadataRecord' },
] as const;

/** `components.schemas` as the document shows them. */
export function toDocumentSchemas(schemas: Readonly<Record<string, JsonObject>>): JsonObject {
  return mapValues(schemas, (schema, name) => {
    const told = defaultsInWords(asObject(schema));
    const own = PAYLOADS.filter(({ component }) => component === name);
    if (own.length === 0) return told;
    const properties = { ...asObject(told['properties']) };
    for (const { field, payload } of own) {
      const $defs = { [payload]: { $ref: `#/components/schemas/${payload}` } };
      properties[field] = { ...asObject(properties[field]), $defs };
    }
    return { ...told, properties };
  });
}

/**
 * A schema whose properties tell their defaults in words. As a keyword, generators of clients take a default for a value
 * that is always there, and either demand it of the caller or send it along; the bridge tells apart what was named.
 */
function defaultsInWords(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, mapValues(asObject(value), toldProperty)];
      if (Array.isArray(value)) return [keyword, value.map(toldItem)];
      return [keyword, keyword === 'items' ? defaultsInWords(asObject(value)) : value];
    }),
  );
}

function toldProperty(value: unknown): JsonObject {
  const { default: given, description, ...rest } = defaultsInWords(asObject(value));
  const words = [
    ...(typeof description === 'string' ? [description] : []),
    // An empty object, list or null says no more than that the field is optional.
    ...(given === undefined || typeof given === 'object' ? [] : [`Default: \`${String(given)}\`.`]),
  ];
  return words.length === 0 ? rest : { ...rest, description: words.join(' ') };
}

/** An alternative of `oneOf` and the like; an item of `enum` or `required` stays what it is. */
function toldItem(value: unknown): unknown {
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
