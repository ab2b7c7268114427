import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import {
  configFor,
  type Direction,
  type JsonObject,
  REF_PREFIX,
} from '../../../lib/contract/json-schema.ts';
import { type ComponentName, REPLY_COMPONENTS, REQUEST_COMPONENTS } from './components.ts';

const COMPONENTS: Readonly<Record<string, v.GenericSchema>> = {
  ...REQUEST_COMPONENTS,
  ...REPLY_COMPONENTS,
};
const NAMES = new Map(Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]));

/** Returns the name of a schema in the documents, or undefined if the schema has no name. */
export function componentName(schema: v.GenericSchema): ComponentName | undefined {
  // The cast is safe because the map is built from the two tables above.
  return NAMES.get(schema) as ComponentName | undefined;
}

/** Converts a schema to a part of an OpenAPI document: a `$ref` if the schema has a name. */
export function schemaPart(schema: v.GenericSchema, direction: Direction): JsonObject {
  const name = componentName(schema);
  if (name) return { $ref: `${REF_PREFIX}${name}` };
  const { $schema, $defs, ...part } = toJsonSchema(schema, {
    ...configFor(direction),
    definitions: COMPONENTS,
  });
  return part;
}

/** Returns `components.schemas`: the named schemas and all referenced schemas, in the order of the tables. */
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

/** Returns the names that a part of a document refers to, at any depth. */
export function referencedComponents(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(referencedComponents);
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(REF_PREFIX)
      ? [value.slice(REF_PREFIX.length)]
      : referencedComponents(value),
  );
}

/** Returns one document with the JSON Schema of `ImageRequest` and all referenced schemas. */
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
