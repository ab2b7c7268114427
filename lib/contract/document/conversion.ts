import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { textKeywords } from '../schema/text.ts';
import { withNulls } from './null-fields.ts';

/** A JSON value that is an object; what documents are made of. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value is sent to the bridge or by it: the same field may be left out in one and never in the other. */
export type Direction = 'request' | 'reply';

/** Before the name of a schema that others refer to. */
export const REF_PREFIX = '#/components/schemas/';

/** A schema without names around it: a parameter, a header. */
export function plainSchema(schema: v.GenericSchema): JsonObject {
  const { $schema, ...part } = toJsonSchema(schema, configFor('request'));
  return part;
}

/** How schemas become JSON Schema. */
export function configFor(direction: Direction): ConversionConfig {
  return {
    target: 'draft-2020-12',
    typeMode: direction === 'request' ? 'input' : 'output',
    overrideRef: ({ referenceId }) => `${REF_PREFIX}${referenceId}`,
    // What checks and transformations mean to a reader is said by `v.metadata` beside them.
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
