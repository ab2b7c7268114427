import type { Direction, JsonObject } from '../../../lib/contract/json-schema.ts';
import { REQUEST_ID_PATTERN } from '../../../lib/contract/schema/fields.ts';
import type { ReplySpec, Schema } from '../../../lib/http/operation-spec.ts';
import { eventFrame, type StreamedEvent } from '../../../lib/http/reply/event-stream.ts';
import { EXAMPLES } from './examples/examples.ts';
import type { Example } from './examples/shared-values.ts';
import { componentName, schemaPart } from './json-schema.ts';

/** The responses of an operation by status. */
export type Responses = Readonly<Record<string, JsonObject>>;

/** The headers that several kinds of responses have in common. */
export const RESPONSE_HEADERS = {
  'x-request-id': {
    description: 'The id of this request. An error body contains the same id.',
    required: true,
    schema: { type: 'string', pattern: REQUEST_ID_PATTERN.source },
  },
  traceparent: {
    description: 'The trace that the request belongs to (W3C Trace Context).',
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
  },
  'x-should-retry': {
    description: 'True if the same request can be sent again.',
    required: true,
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'retry-after': {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'retry-after-ms': {
    description: 'The exact time to wait in milliseconds.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const;

/** Returns references to headers by name. */
export function headerRefs(...names: readonly (keyof typeof RESPONSE_HEADERS)[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Builds the successful responses of an operation. */
export function toResponses(reply: ReplySpec): Responses {
  const headers = { ...headerRefs('x-request-id', 'traceparent'), ...toHeaders(reply.headers) };
  return Object.fromEntries(
    [reply, ...(reply.also ?? [])].map((one) => [
      String(one.status),
      { description: one.description, headers, ...toContent(one) },
    ]),
  );
}

/** Builds the media type of a JSON body, with the examples of its named schema. */
export function jsonContent(schema: Schema, direction: Direction): JsonObject {
  const name = componentName(schema);
  const examples = name && EXAMPLES[name];
  return { schema: schemaPart(schema, direction), ...(examples ? { examples } : {}) };
}

function toContent(reply: Pick<ReplySpec, 'body' | 'events' | 'mediaTypes'>): JsonObject {
  const content = {
    ...(reply.body ? { 'application/json': jsonContent(reply.body, 'reply') } : {}),
    ...(reply.events ? { 'text/event-stream': streamContent(reply.events) } : {}),
    ...Object.fromEntries(
      (reply.mediaTypes ?? []).map((mediaType) => [mediaType, { schema: rawSchema(mediaType) }]),
    ),
  };
  return Object.keys(content).length > 0 ? { content } : {};
}

/** Describes an event stream as text. OpenAPI 3.1 cannot describe events, so the schema of the event data is in `$defs`. */
function streamContent(event: Schema): JsonObject {
  const name = componentName(event);
  if (!name) throw new Error('the schema of a stream event has no name');
  const examples = Object.values(EXAMPLES[name] ?? {});
  return {
    schema: {
      type: 'string',
      description: `Server-sent events. The data of each event is one line of JSON with the schema ${name}; the name of the event is the \`type\` of its data.`,
      $defs: { [name]: schemaPart(event, 'reply') },
    },
    examples: { stream: { summary: 'A stream of events', value: examples.map(toText).join('') } },
  };
}

function toText({ value }: Example): string {
  // Every example of an event has the type required by its schema.
  const { before, after } = eventFrame(value as StreamedEvent);
  return `${before}${JSON.stringify(value)}${after}`;
}

function rawSchema(mediaType: string): JsonObject {
  if (mediaType === 'application/json') return { type: 'object' };
  return mediaType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' };
}

function toHeaders(headers: ReplySpec['headers']): JsonObject {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
}
