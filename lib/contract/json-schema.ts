import { type ConversionConfig, type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { textKeywords } from './schema/text.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** The direction of a value. A field with a default is optional only in a request. */
export type Direction = 'request' | 'reply';

/** The prefix of a reference to a named schema. */
export const REF_PREFIX = '#/components/schemas/';

/** Converts a schema without references, such as the schema of a parameter or a header. */
export function plainSchema(schema: v.GenericSchema): JsonObject {
  const { $schema, ...part } = toJsonSchema(schema, configFor('request'));
  return part;
}

/** Returns the options of the conversion from valibot to JSON Schema. */
export function configFor(direction: Direction): ConversionConfig {
  return {
    target: 'draft-2020-12',
    typeMode: direction === 'request' ? 'input' : 'output',
    overrideRef: ({ referenceId }) => `${REF_PREFIX}${referenceId}`,
    // `v.metadata` describes these checks and transformations.
    ignoreActions: ['check', 'raw_check', 'transform', 'parse_json'],
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      if (valibotSchema.type === 'custom') return {};
      const { default: ours, required, propertyNames, ...rest } = jsonSchema;
      if ('entries' in valibotSchema) {
        const isRequest = direction === 'request';
        const names = isRequest ? required : alwaysThere(valibotSchema.entries as v.ObjectEntries);
        const part = isRequest ? withNulls(rest, valibotSchema) : rest;
        return names?.length ? { ...part, required: names } : part;
      }
      if (valibotSchema.type === 'record') return rest;
      if (valibotSchema.type === 'string') {
        return jsonSchema.maxLength === undefined
          ? { ...jsonSchema, ...textKeywords(valibotSchema) }
          : undefined;
      }
      return direction === 'reply' && ours !== undefined ? rest : undefined;
    },
  };
}

function alwaysThere(entries: v.ObjectEntries): string[] {
  return Object.entries(entries)
    .filter(([, entry]) => entry.type !== 'optional' || defaultOf(entry) !== undefined)
    .map(([name]) => name);
}

function defaultOf(entry: v.GenericSchema & { readonly default?: unknown }): unknown {
  return entry.default;
}

type Property = JsonSchema | boolean;

/**
 * Returns the schema of an object in a request with `null` allowed for every optional field. Forms and queries are returned
 * unchanged because they cannot contain `null`.
 */
function withNulls(part: JsonSchema, schema: { readonly entries: unknown }): JsonSchema {
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
