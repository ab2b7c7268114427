import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { type ComponentName, REPLY_COMPONENTS, REQUEST_COMPONENTS } from './components.ts';
import { withNulls } from './null-fields.ts';

/** A JSON value that is an object; what documents are made of. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value is sent to the bridge or by it: the same field may be left out in one and never in the other. */
export type Direction = 'request' | 'reply';

const COMPONENTS: Readonly<Record<string, v.GenericSchema>> = {
  ...REQUEST_COMPONENTS,
  ...REPLY_COMPONENTS,
};
const NAMES = new Map(Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]));

const REF_PREFIX = '#/components/schemas/';

/** The name of a schema that has one in the documents. */
export function componentName(schema: v.GenericSchema): ComponentName | undefined {
  // Made from the two tables just above.
  return NAMES.get(schema) as ComponentName | undefined;
}

/** A schema as a part of an OpenAPI document: a `$ref` where it has a name. */
export function schemaPart(schema: v.GenericSchema, direction: Direction): JsonObject {
  const name = componentName(schema);
  if (name) return { $ref: `${REF_PREFIX}${name}` };
  const { $schema, $defs, ...part } = toJsonSchema(schema, {
    ...configFor(direction),
    definitions: COMPONENTS,
  });
  return part;
}

/** A schema without names around it: a parameter, a header. */
export function plainSchema(schema: v.GenericSchema): JsonObject {
  const { $schema, ...part } = toJsonSchema(schema, configFor('request'));
  return part;
}

/** `components.schemas` with the named ones and all that they refer to, in the order of the tables. */
export function componentSchemas(wanted: readonly string[]): Record<string, JsonObject> {
  const all = allComponents();
  const needed = new Set<string>();
  const open = [...wanted];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const schema = all[name];
    if (!schema || needed.has(name)) continue;
    needed.add(name);
    open.push(...referencedComponents(schema));
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => needed.has(name)));
}

/** The names that a part of a document refers to, at any depth. */
export function referencedComponents(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(referencedComponents);
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(REF_PREFIX)
      ? [value.slice(REF_PREFIX.length)]
      : referencedComponents(value),
  );
}

/** The JSON Schema of ImageRequest and of all that it needs, in one document. */
export function jsonSchemaDocument(): JsonObject {
  const { ImageRequest, ...defs } = componentSchemas(['ImageRequest']);
  return localRefs({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'ImageRequest',
    ...ImageRequest,
    $defs: defs,
  }) as JsonObject;
}

function allComponents(): Record<string, JsonObject> {
  const request = toJsonSchemaDefs(COMPONENTS, configFor('request'));
  const reply = toJsonSchemaDefs(COMPONENTS, configFor('reply'));
  return Object.fromEntries(
    Object.keys(COMPONENTS).map((name) => [
      name,
      { ...(name in REQUEST_COMPONENTS ? request : reply)[name] },
    ]),
  );
}

function localRefs(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(localRefs);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      key === '$ref' ? String(value).replace(REF_PREFIX, '#/$defs/') : localRefs(value),
    ]),
  );
}

function configFor(direction: Direction): ConversionConfig {
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
