import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { buildOpenApiDocument } from '../../../../infra/generators/openapi/build-document.ts';
import type { DocumentedRoute } from '../../../../infra/generators/openapi/operations.ts';
import type { JsonObject } from '../../../../lib/contract/json-schema.ts';
import { EDIT_FILES, EditsForm, EditsFormFields } from '../../../../lib/contract/openai/form.ts';
import { StreamEvent } from '../../../../lib/contract/reply/stream-events.ts';
import {
  IdempotencyHeaders,
  ImageRequest,
} from '../../../../lib/contract/request/image-request.ts';
import { NotReady, Ready } from '../../../../lib/contract/resources/diagnostics.ts';
import { JobCreate, JobListQuery, JobPage } from '../../../../lib/contract/resources/job.ts';
import { closedObject } from '../../../../lib/contract/schema/closed-object.ts';
import type { OperationSpec } from '../../../../lib/http/operation-spec.ts';
import { parseEventText } from '../../../support/event-text.ts';

const plain: OperationSpec = {
  id: 'doThing',
  summary: 'Do a thing',
  protection: 'read',
  request: {},
  reply: { status: 200, description: 'The thing is done.' },
  errors: [],
};

function documentOf(spec: Partial<OperationSpec>, route: Partial<DocumentedRoute> = {}) {
  const handler = { spec: { ...plain, ...spec } };
  return buildOpenApiDocument(
    [{ method: 'POST', path: '/v1/things', tag: 'Images', handler, ...route }],
    '1.2.3',
  );
}

/** Returns the value of the document under these keys. */
function at(document: JsonObject, ...keys: string[]): unknown {
  return keys.reduce<unknown>((part, key) => (part as JsonObject)[key], document);
}

function operationOf(spec: Partial<OperationSpec>): JsonObject {
  return at(documentOf(spec), 'paths', '/v1/things', 'post') as JsonObject;
}

function statusesOf(spec: Partial<OperationSpec>): string[] {
  return Object.keys(operationOf(spec)['responses'] as object);
}

describe('buildOpenApiDocument', () => {
  it('builds an OpenAPI 3.1 document with the given version', () => {
    const document = documentOf({});

    expect(document['openapi']).toBe('3.1.0');
    expect(document['info']).toMatchObject({ version: '1.2.3', license: { identifier: 'MIT' } });
    expect(document['servers']).toMatchObject([{ url: 'http://127.0.0.1:8787' }]);
  });

  it('builds the same text for the same routes', () => {
    expect(JSON.stringify(documentOf({}))).toBe(JSON.stringify(documentOf({})));
  });

  it('groups the methods of one path', () => {
    const handler = { spec: plain };
    const document = buildOpenApiDocument(
      [
        { method: 'GET', path: '/v1/things', tag: 'Images', handler },
        { method: 'DELETE', path: '/v1/things', tag: 'Images', handler },
      ],
      '1',
    );

    expect(Object.keys(at(document, 'paths', '/v1/things') as object)).toEqual(['get', 'delete']);
  });

  it('describes each tag of the routes once', () => {
    expect(documentOf({})['tags']).toEqual([
      { name: 'Images', description: expect.stringContaining('Image') },
    ]);
  });

  it('lists a form beside JSON, and the errors of a form', () => {
    const form = { schema: EditsForm, fields: EditsFormFields, files: EDIT_FILES };
    const contentOf = (request: OperationSpec['request']) =>
      at(operationOf({ request }), 'requestBody', 'content');

    expect(contentOf({ form })).toEqual({
      'multipart/form-data': { schema: { $ref: '#/components/schemas/OpenAiImageEditForm' } },
    });
    expect(Object.keys(contentOf({ form, body: ImageRequest }) as object)).toEqual([
      'application/json',
      'multipart/form-data',
    ]);
    expect(statusesOf({ protection: 'public', request: { form } })).toEqual(
      expect.arrayContaining(['400', '413', '415', '422']),
    );
  });

  it('throws for a tag without a description', () => {
    expect(() => documentOf({}, { tag: 'Nowhere' })).toThrow('Nowhere');
  });

  it('requires a token with the permission of the operation, and no token for public routes', () => {
    expect(operationOf({})['security']).toEqual([{ bearer: ['read'] }, {}]);
    expect(operationOf({ protection: 'public' })['security']).toEqual([]);
    expect(at(documentOf({}), 'components', 'securitySchemes', 'bearer')).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    });
  });

  it('lists the parameters of path, query and headers with the types of their values', () => {
    const operation = operationOf({
      request: {
        path: v.strictObject({ id: v.string() }),
        query: JobListQuery,
        headers: IdempotencyHeaders,
      },
    });

    const parameters = operation['parameters'] as JsonObject[];
    expect(parameters.map(({ name, in: location }) => `${location} ${name}`)).toEqual([
      'path id',
      'query limit',
      'query cursor',
      'query status',
      'query visibility',
      'query favorite',
      'query label',
      'query group',
      'query provider',
      'query model',
      'query size',
      'query operation',
      'query created_after',
      'query created_before',
      'query search',
      'query q',
      'query order',
      'query total',
      'query include_deleted',
      'header idempotency-key',
    ]);
    expect(parameters[0]).toMatchObject({ required: true, schema: { type: 'string' } });
    expect(parameters[1]).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    });
    expect(parameters[5]).toMatchObject({ required: false, schema: { type: 'boolean' } });
    expect(parameters[18]).toMatchObject({ deprecated: true, schema: { type: 'boolean' } });
  });

  it('keeps a text default', () => {
    const query = closedObject({ provider: v.optional(v.string(), 'sandbox') });
    const operation = operationOf({ request: { query } });

    expect(operation['parameters']).toMatchObject([{ schema: { default: 'sandbox' } }]);
  });

  it('refers to a named body schema and includes its examples', () => {
    const operation = operationOf({ request: { body: ImageRequest } });

    expect(operation['requestBody']).toMatchObject({
      required: true,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/ImageRequest' },
          examples: { generate: { value: { prompt: expect.any(String) } } },
        },
      },
    });
  });

  it('inlines a body schema without a name', () => {
    const operation = operationOf({ request: { body: closedObject({ a: v.boolean() }) } });

    expect(operation['requestBody']).toMatchObject({
      content: { 'application/json': { schema: { type: 'object', required: ['a'] } } },
    });
  });

  it('describes binary, partial and empty replies', () => {
    const operation = operationOf({
      reply: {
        status: 200,
        description: 'The bytes.',
        mediaTypes: ['image/png', 'text/plain'],
        headers: { etag: 'The quoted sum.' },
        also: [
          { status: 206, description: 'Some.', mediaTypes: ['image/png'] },
          { status: 304, description: 'None.' },
        ],
      },
    });

    const responses = operation['responses'] as Record<string, JsonObject>;
    expect(responses['200']).toMatchObject({
      headers: { etag: { description: 'The quoted sum.' } },
      content: {
        'image/png': { schema: { format: 'binary' } },
        'text/plain': { schema: { type: 'string' } },
      },
    });
    expect(responses['206']).toHaveProperty('content');
    expect(responses['304']).not.toHaveProperty('content');
  });

  it('adds the common headers to every reply', () => {
    const document = documentOf({ reply: { ...plain.reply, body: JobPage } });

    const responses = {
      ...(at(document, 'paths', '/v1/things', 'post', 'responses') as JsonObject),
      ...(at(document, 'components', 'responses') as JsonObject),
    };
    for (const reply of Object.values(responses) as JsonObject[]) {
      if ('$ref' in reply) continue;
      expect(reply['headers']).toMatchObject({
        'x-request-id': { $ref: '#/components/headers/x-request-id' },
        traceparent: { $ref: '#/components/headers/traceparent' },
      });
    }
  });

  const always = ['400', '408', '417', '431', '500', '503'];
  it.each<readonly [string, Partial<OperationSpec>, readonly string[]]>([
    ['public', { protection: 'public' }, []],
    ['guarded', {}, ['401', '403', '422']],
    ['public with a query', { protection: 'public', request: { query: JobListQuery } }, ['422']],
    ['with a body', { request: { body: ImageRequest } }, ['401', '403', '413', '415', '422']],
    [
      'that names its own failures',
      { errors: ['not_found', 'rate_limited'] },
      ['401', '403', '404', '422', '429'],
    ],
  ])('lists the errors of an operation %s', (_name, spec, more) => {
    expect(statusesOf(spec)).toEqual(['200', ...always, ...more].sort());
  });

  it('shares an error response with one code, and lists the codes of a response with several', () => {
    const operation = operationOf({ errors: ['input', 'safety_rejected'] });

    const responses = operation['responses'] as Record<string, JsonObject>;
    expect(responses['401']).toEqual({ $ref: '#/components/responses/authentication_required' });
    expect(responses['400']).toMatchObject({
      description: 'Bad Request: `invalid_request`, `invalid_image_input`, `moderation_blocked`.',
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/ErrorReply' },
          examples: {
            malformed_request: { $ref: '#/components/examples/malformed_request' },
            input: { $ref: '#/components/examples/input' },
            safety_rejected: { $ref: '#/components/examples/safety_rejected' },
          },
        },
      },
    });
  });

  it('describes the headers for retries and authentication', () => {
    const responses = at(documentOf({}), 'components', 'responses');

    expect(responses).toMatchObject({
      overloaded: { headers: { 'retry-after': {}, 'retry-after-ms': {}, 'x-should-retry': {} } },
      authentication_required: { headers: { 'www-authenticate': {} } },
    });
  });

  it('describes both schemas of a status that is both a reply and an error', () => {
    const operation = operationOf({
      protection: 'public',
      reply: {
        ...plain.reply,
        body: Ready,
        also: [{ status: 503, description: 'Not ready.', body: NotReady }],
      },
    });

    expect(at(operation, 'responses', '503', 'content', 'application/json', 'schema')).toEqual({
      oneOf: [
        { $ref: '#/components/schemas/NotReady' },
        { $ref: '#/components/schemas/ErrorReply' },
      ],
    });
  });

  it('describes the webhook only if a route accepts webhooks', () => {
    const document = documentOf({ request: { body: JobCreate } });

    const post = at(document, 'webhooks', 'jobEnded', 'post') as JsonObject;
    expect(post['parameters']).toMatchObject(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
        name,
        in: 'header',
        required: true,
      })),
    );
    expect(at(post, 'requestBody', 'content', 'application/json', 'schema')).toEqual({
      $ref: '#/components/schemas/WebhookMessage',
    });
    expect(at(document, 'components', 'schemas')).toHaveProperty('ImageJob');
    expect(documentOf({})['webhooks']).toEqual({});
  });

  it('contains the schemas that its routes need, and the schemas of embedded payloads', () => {
    const schemas = at(documentOf({ protection: 'public' }), 'components', 'schemas') as object;

    expect(schemas).toHaveProperty('ErrorReply');
    expect(schemas).toHaveProperty('ImageMetadataRecord');
    expect(schemas).not.toHaveProperty('ImageJob');
    expect(schemas).not.toHaveProperty('ImageRequest');
  });

  it('describes a stream by its events, with an example', () => {
    const operation = operationOf({ reply: { ...plain.reply, events: StreamEvent } });

    const content = at(operation, 'responses', '200', 'content', 'text/event-stream');
    expect(content).toMatchObject({
      schema: {
        type: 'string',
        $defs: { StreamEvent: { $ref: '#/components/schemas/StreamEvent' } },
      },
    });
    const text = at(content as JsonObject, 'examples', 'stream', 'value') as string;
    const { events, rest } = parseEventText(text);
    expect(rest).toBe('');
    for (const { data } of events) expect(v.is(StreamEvent, data)).toBe(true);
    expect(events.map(({ name }) => name)).toEqual([
      ...['started', 'progress', 'partial_image', 'completed'],
    ]);
  });

  it('throws for a stream whose event schema has no name', () => {
    expect(() => documentOf({ reply: { ...plain.reply, events: v.object({}) } })).toThrow(
      'no name',
    );
  });

  it('describes defaults of requests in words, because generated clients would send them', () => {
    const document = documentOf({ request: { body: ImageRequest } });

    const parameters = at(
      document,
      'components',
      'schemas',
      'ImageRequestParameters',
      'properties',
    );
    expect(parameters).toMatchObject({
      moderation: { description: 'Default: `auto`.' },
      n: { description: 'The number of images. Default: `1`.' },
    });
    expect(JSON.stringify(at(document, 'components', 'schemas'))).not.toContain('"default":"');
  });
});
