import type { JsonObject } from '../../lib/contract/document/conversion.ts';
import { componentSchemas, referencedComponents } from '../../lib/contract/document/json-schema.ts';
import { errorComponents } from './openapi-errors.ts';
import { type DocumentedRoute, toOperation } from './openapi-operation.ts';
import { RESPONSE_HEADERS } from './openapi-responses.ts';
import { PAYLOADS, toDocumentSchemas } from './openapi-schemas.ts';
import { API_DESCRIPTION, TAG_DESCRIPTIONS } from './openapi-text.ts';
import { toWebhooks } from './openapi-webhooks.ts';

/** The OpenAPI 3.1 document of these routes, whatever settings are off. The same input gives the same text. */
export function buildOpenApiDocument(
  routes: readonly DocumentedRoute[],
  version: string,
): JsonObject {
  const paths = toPaths(routes);
  const referenced = referencedComponents(paths);
  const webhooks = referenced.includes('ImageJobCreate') ? toWebhooks() : {};
  const schemas = componentSchemas([
    ...referenced,
    ...referencedComponents(webhooks),
    ...PAYLOADS.map(({ payload }) => payload),
    'ErrorReply',
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Image Bridge',
      version,
      summary: 'Generates and edits images through interchangeable providers.',
      description: API_DESCRIPTION,
      contact: { name: 'The operator of this bridge' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:8787', description: 'A bridge on this machine.' }],
    tags: toTags(routes),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Required when server.bearer_token_env or server.tokens_file is set. Without both every client that can connect is accepted. Each operation names the permission that a token of server.tokens_file needs for it.',
        },
      },
      headers: RESPONSE_HEADERS,
      ...errorComponents(routes.map((route) => route.handler.spec)),
      schemas: toDocumentSchemas(schemas),
    },
  };
}

function toPaths(routes: readonly DocumentedRoute[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    item[route.method.toLowerCase()] = toOperation(route);
    paths[route.path] = item;
  }
  return paths;
}

function toTags(routes: readonly DocumentedRoute[]): JsonObject[] {
  return [...new Set(routes.map((route) => route.tag))].map((name) => {
    const description = TAG_DESCRIPTIONS[name];
    if (description === undefined) throw new Error(`the tag ${name} has no description`);
    return { name, description };
  });
}
