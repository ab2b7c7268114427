import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

type Property = JsonSchema | boolean;

/**
 * Returns the schema of an object in a request with `null` allowed for every optional field. Forms and queries are returned
 * unchanged because they cannot contain `null`.
 */
export function withNulls(part: JsonSchema, schema: { readonly entries: unknown }): JsonSchema {
  if (!('takesNull' in schema) || !part.properties) return part;
  // The cast is safe because valibot stores the entries of an object under this name.
  const entries = schema.entries as v.ObjectEntries;
  const properties = Object.entries(part.properties).map(([name, property]) => [
    name,
    entries[name]?.type === 'optional' ? orNull(property) : property,
  ]);
  return { ...part, properties: Object.fromEntries(properties) };
}

function orNull(property: Property): Property {
  if (typeof property === 'boolean' || takesNull(property)) return property;
  const { type, enum: values, description, default: ours, ...rest } = property;
  if (typeof type === 'string') {
    return {
      ...property,
      type: [type, 'null'],
      ...(values === undefined ? {} : { enum: [...values, null] }),
    };
  }
  return {
    anyOf: [rest, { type: 'null' }],
    ...(ours === undefined ? {} : { default: ours }),
    ...(description === undefined ? {} : { description }),
  };
}

function takesNull({ anyOf, description, ...rest }: JsonSchema): boolean {
  if (anyOf) return anyOf.some((one) => typeof one === 'object' && one.type === 'null');
  // A schema with only a description accepts every value.
  return Object.keys(rest).length === 0;
}
