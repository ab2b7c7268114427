import type * as v from 'valibot';
import { type JsonObject, plainSchema } from '../../../lib/contract/json-schema.ts';
import {
  type OperationSpec,
  permissionOf,
  type RequestSpec,
  type Schema,
} from '../../../lib/http/operation-spec.ts';
import { toErrorResponses } from './error-responses.ts';
import { jsonContent, toResponses } from './responses.ts';

/** The fields of a route that the document needs. */
export interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly handler: { readonly spec: OperationSpec };
}

/** Builds one operation of the document. HEAD is implied by GET and not listed. */
export function toOperation({ tag, handler: { spec } }: DocumentedRoute): JsonObject {
  const parameters = toParameters(spec.request);
  const replies = toResponses(spec.reply);
  const permission = permissionOf(spec);
  return {
    operationId: spec.id,
    summary: spec.summary,
    description: spec.reply.description,
    tags: [tag],
    // The permission that the token needs. The empty alternative is for a bridge without configured tokens.
    security: permission === undefined ? [] : [{ bearer: [permission] }, {}],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...toRequestBody(spec.request),
    responses: { ...replies, ...toErrorResponses(spec, replies) },
  };
}

function toRequestBody({ body, form }: RequestSpec): JsonObject {
  const content = {
    ...(body ? { 'application/json': jsonContent(body, 'request') } : {}),
    ...(form ? { 'multipart/form-data': jsonContent(form.schema, 'request') } : {}),
  };
  return Object.keys(content).length > 0 ? { requestBody: { required: true, content } } : {};
}

/** Builds the parameters of an operation: one for each field of its path, query and header schemas. */
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
    // The schema describes the parsed value, so the default text is parsed too.
    schema: text === undefined ? schema : { ...schema, default: toValue(text, schema['type']) },
  };
}

function toValue(text: unknown, type: unknown): unknown {
  return type === 'integer' || type === 'boolean' ? JSON.parse(String(text)) : text;
}
