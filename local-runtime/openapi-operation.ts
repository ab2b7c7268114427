import { EXAMPLES } from '../lib/contract/examples/examples.ts';
import { componentName, type JsonObject, schemaPart } from '../lib/contract/json-schema.ts';
import type { OperationSpec, Schema } from '../lib/http/operation-spec.ts';
import { toAnswers } from './openapi-answers.ts';
import { toErrorAnswers } from './openapi-errors.ts';
import { toParameters } from './openapi-parameters.ts';

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
  const answers = toAnswers(spec.reply);
  return {
    operationId: spec.id,
    summary: spec.summary,
    description: spec.reply.description,
    tags: [tag],
    // Without a configured token nobody is asked for one.
    security: spec.protection === 'public' ? [] : [{ bearer: [] }, {}],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(spec.request.body ? { requestBody: toRequestBody(spec.request.body) } : {}),
    responses: { ...answers, ...toErrorAnswers(spec, answers) },
  };
}

function toRequestBody(body: Schema): JsonObject {
  const name = componentName(body);
  const examples = name && EXAMPLES[name];
  return {
    required: true,
    content: {
      'application/json': {
        schema: schemaPart(body, 'request'),
        ...(examples ? { examples } : {}),
      },
    },
  };
}
