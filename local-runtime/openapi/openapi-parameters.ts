import type * as v from 'valibot';
import { type JsonObject, plainSchema } from '../../lib/contract/document/conversion.ts';
import type { RequestSpec, Schema } from '../../lib/http/operation-spec.ts';

/** The parameters of an operation: one for each field of its path, query and header schemas. */
export function toParameters({ path, query, headers }: RequestSpec): JsonObject[] {
  return [
    ...entriesOf(path).map(([name, entry]) => toParameter('path', name, entry)),
    ...entriesOf(query).map(([name, entry]) => toParameter('query', name, entry)),
    ...entriesOf(headers).map(([name, entry]) => toParameter('header', name, entry)),
  ];
}

function entriesOf(
  schema: (Schema & { readonly entries?: v.ObjectEntries }) | undefined,
): [string, Schema][] {
  return Object.entries(schema?.entries ?? {}) as [string, Schema][];
}

function toParameter(
  location: 'path' | 'query' | 'header',
  name: string,
  entry: Schema,
): JsonObject {
  const { description, deprecated, default: text, ...schema } = plainSchema(entry);
  return {
    name,
    in: location,
    required: entry.type !== 'optional',
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    // The schema describes the value that the text of a query is parsed to.
    schema: text === undefined ? schema : { ...schema, default: toValue(text, schema['type']) },
  };
}

function toValue(text: unknown, type: unknown): unknown {
  return type === 'integer' || type === 'boolean' ? JSON.parse(String(text)) : text;
}
