import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

type Property = JsonSchema | boolean;

/**
 * The schema of an object in a request, with `null` for every optional field (contract.md 0). Forms and queries, which
 * have no `null`, stay as they are.
 */
export function withNulls(part: JsonSchema, schema: { readonly entries: unknown }): JsonSchema {
  if (!('takesNull' in schema) || !part.properties) return part;
  // What valibot keeps under this name.
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
  // A description alone: every value.
  return Object.keys(rest).length === 0;
}
