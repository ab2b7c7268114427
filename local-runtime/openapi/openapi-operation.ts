import type { JsonObject } from '../../lib/contract/document/conversion.ts';
import { componentName, schemaPart } from '../../lib/contract/document/json-schema.ts';
import { EXAMPLES } from '../../lib/contract/examples/examples.ts';
import {
  type OperationSpec,
  permissionOf,
  type RequestSpec,
  type Schema,
} from '../../lib/http/operation-spec.ts';
import { toErrorResponses } from './openapi-errors.ts';
import { toParameters } from './openapi-parameters.ts';
import { toResponses } from './openapi-responses.ts';

/** What the document needs of a route. */
export interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly handler: { readonly spec: OperationSpec };
}

/** One operation of the document. HEAD is implied by GET and not listed. */
export function toOperation({ tag, handler: { spec } }: DocumentedRoute): JsonObject {
  const parameters = toParameters(spec.request);
  const replies = toResponses(spec.reply);
  const permission = permissionOf(spec);
  return {
    operationId: spec.id,
    summary: spec.summary,
    description: spec.reply.description,
    tags: [tag],
    // The permission that the token needs. The empty alternative: a bridge without a configured token asks for none.
    security: permission === undefined ? [] : [{ bearer: [permission] }, {}],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...toRequestBody(spec.request),
    responses: { ...replies, ...toErrorResponses(spec, replies) },
  };
}

function toRequestBody({ body, form }: RequestSpec): JsonObject {
  const content = {
    ...(body ? { 'application/json': toContent(body) } : {}),
    ...(form ? { 'multipart/form-data': toContent(form.schema) } : {}),
  };
  return Object.keys(content).length > 0 ? { requestBody: { required: true, content } } : {};
}

function toContent(schema: Schema): JsonObject {
  const name = componentName(schema);
  const examples = name && EXAMPLES[name];
  return { schema: schemaPart(schema, 'request'), ...(examples ? { examples } : {}) };
}
