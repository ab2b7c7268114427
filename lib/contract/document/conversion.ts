import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { textKeywords } from '../schema/text.ts';
import { withNulls } from './null-fields.ts';

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/** The direction of a value: sent to the bridge or by the bridge. A field with a default is optional only in a request. */
export type Direction = 'request' | 'reply';

/** The prefix of a reference to a named schema. */
export const REF_PREFIX = '#/components/schemas/';

/** Converts a schema without references, such as that of a parameter or a header. */
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
    // `v.metadata` describes these checks and transformations for readers of the documents.
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
