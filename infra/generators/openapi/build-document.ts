import type { JsonObject } from '../../../lib/contract/json-schema.ts';
import { WebhookHeaders, WebhookMessage } from '../../../lib/contract/resources/job-events.ts';
import { errorComponents } from './error-responses.ts';
import { componentSchemas, referencedComponents } from './json-schema.ts';
import { type DocumentedRoute, toOperation, toParameters } from './operations.ts';
import { jsonContent, RESPONSE_HEADERS } from './responses.ts';

/** Builds the OpenAPI 3.1 document of all routes, including routes that are disabled by settings. The result is deterministic. */
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
      summary: 'Generates and edits images with interchangeable providers.',
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
            'Required if server.bearer_token_env or server.tokens_file is set. If neither is set, every client that can connect is accepted. Each operation names the permission that a token of server.tokens_file needs.',
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

/** Builds `webhooks` of the document: the requests that the bridge sends. */
function toWebhooks(): JsonObject {
  return {
    jobEnded: {
      post: {
        operationId: 'jobEnded',
        summary: 'A job has ended',
        description:
          'Sent to the `webhook` of the job, or to server.webhooks.default_url, if server.webhooks.enabled is on. Each message is sent at least once; the order is not guaranteed. The Standard Webhooks libraries verify the message.',
        tags: ['Jobs'],
        security: [],
        parameters: toParameters({ headers: WebhookHeaders }),
        requestBody: {
          required: true,
          content: { 'application/json': jsonContent(WebhookMessage, 'reply') },
        },
        responses: {
          '2XX': { description: 'The message was delivered, if this reply arrives within 15 s.' },
          '410': { description: 'The message is not sent again.' },
          default: {
            description:
              'The message is sent again later, up to seven times. Redirects are not followed.',
          },
        },
      },
    },
  };
}

/**
 * Records that are stored in files and are not part of a body. OpenAPI 3.1 cannot describe such a record, so its schema is
 * in the `$defs` of the field that requests it.
 */
const PAYLOADS = [
  { component: 'ImageOutput', field: 'metadata', payload: 'ImageMetadataRecord' },
] as const;

/** Builds `components.schemas` of the document. */
function toDocumentSchemas(schemas: Readonly<Record<string, JsonObject>>): JsonObject {
  return mapValues(schemas, (schema, name) => {
    const documented = defaultsInWords(asObject(schema));
    const own = PAYLOADS.filter(({ component }) => component === name);
    if (own.length === 0) return documented;
    const properties = { ...asObject(documented['properties']) };
    for (const { field, payload } of own) {
      const $defs = { [payload]: { $ref: `#/components/schemas/${payload}` } };
      properties[field] = { ...asObject(properties[field]), $defs };
    }
    return { ...documented, properties };
  });
}

/**
 * Moves defaults from the keyword into the descriptions. Client generators treat the keyword as a value that is always
 * present and require or send it, but the bridge distinguishes explicit parameters from omitted parameters.
 */
function defaultsInWords(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, mapValues(asObject(value), describedProperty)];
      if (Array.isArray(value)) return [keyword, value.map(describedItem)];
      return [keyword, keyword === 'items' ? defaultsInWords(asObject(value)) : value];
    }),
  );
}

function describedProperty(value: unknown): JsonObject {
  const { default: given, description, ...rest } = defaultsInWords(asObject(value));
  const words = [
    ...(typeof description === 'string' ? [description] : []),
    // A default of an empty object, an empty list or null only means that the field is optional.
    ...(given === undefined || typeof given === 'object' ? [] : [`Default: \`${String(given)}\`.`]),
  ];
  return words.length === 0 ? rest : { ...rest, description: words.join(' ') };
}

/** Converts an alternative of `oneOf` and similar keywords. Items of `enum` and `required` are unchanged. */
function describedItem(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? defaultsInWords(asObject(value)) : value;
}

function asObject(value: unknown): JsonObject {
  // Schemas and their parts are objects, except for `true` and `false`, which the converters never write.
  return Object(value) as JsonObject;
}

function mapValues(
  object: JsonObject,
  change: (value: unknown, key: string) => JsonObject,
): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, change(value, key)]),
  );
}

/** The description of rules that apply to all routes, in CommonMark. */
const API_DESCRIPTION = `\
Turns "make or edit this image" into verified image files. Bodies are JSON in UTF-8 with \`snake_case\` names,
except for operations that accept a form. Times are Unix seconds unless the name of the field ends in \`_ms\`.

- **Unknown fields are errors**: an error names each unknown field or query parameter, and \`details.issues\` lists all
  violations of a request. In a body, \`null\` for an optional field means the same as omitting the field. An empty query
  value means the same as omitting the parameter.
- **Every reply** has an \`x-request-id\`. The bridge keeps the id of your request if it matches
  \`^[A-Za-z0-9._-]{1,128}$\`, and continues its \`traceparent\` (W3C, version 00).
- **Errors** never use a successful status and always have the format \`ErrorReply\`. \`x-should-retry\` is \`true\` if the
  same request can be sent again. An unknown path returns 404. An unsupported method of a known path returns 405 with
  \`Allow\`.
- **HEAD** is supported for every path that supports GET.
- **Lists** accept \`limit\` and \`cursor\` and return \`{items, next_cursor?}\`.
- Version 1 changes only by additions.
`;

/** The descriptions of the tags. */
const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Health: 'Liveness and readiness. Public.',
  Images: 'Image generation and editing while the client waits.',
  Jobs: 'Durable image requests that continue without the client, and their history.',
  Presets: 'Named templates of requests.',
  Providers: 'The image providers and the capabilities of each model.',
  Artifacts: 'The files of verified images. Each image is visible to the token that created it.',
  Sessions: 'Session keys and the provider threads bound to them.',
  Usage:
    'The permissions and limits of the token, and the images and costs of the token or of all tokens.',
  OpenAI: 'Routes that are compatible with the OpenAI API.',
  Diagnostics: 'The state of the bridge, without prompts or images.',
  Metrics: 'Metrics for Prometheus.',
  Dashboard: 'The web page for people.',
  MCP: 'The tools for agents: the Model Context Protocol over HTTP.',
  Contract: 'This document.',
};
