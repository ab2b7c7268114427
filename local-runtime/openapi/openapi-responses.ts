import type { JsonObject } from '../../lib/contract/document/conversion.ts';
import { componentName, schemaPart } from '../../lib/contract/document/json-schema.ts';
import { EXAMPLES } from '../../lib/contract/examples/examples.ts';
import type { Example } from '../../lib/contract/examples/shared-values.ts';
import { REQUEST_ID_PATTERN } from '../../lib/contract/schema/fields.ts';
import type { ReplySpec, Schema } from '../../lib/http/operation-spec.ts';
import { eventFrame, type StreamedEvent } from '../../lib/http/reply/event-stream.ts';

/** The responses of an operation by their status. */
export type Responses = Readonly<Record<string, JsonObject>>;

/** The headers that more than one kind of response has. */
export const RESPONSE_HEADERS = {
  'x-request-id': {
    description: 'The id of this request, the same as in the body.',
    required: true,
    schema: { type: 'string', pattern: REQUEST_ID_PATTERN.source },
  },
  traceparent: {
    description: 'The trace that the request belongs to (W3C Trace Context).',
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
  },
  'x-should-retry': {
    description: 'Whether the same request may simply be sent again.',
    required: true,
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'retry-after': {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'retry-after-ms': {
    description: 'The same in milliseconds, exactly.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const;

/** References to headers by their names. */
export function headerRefs(...names: readonly (keyof typeof RESPONSE_HEADERS)[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The responses of an operation that are no errors. */
export function toResponses(reply: ReplySpec): Responses {
  const headers = { ...headerRefs('x-request-id', 'traceparent'), ...toHeaders(reply.headers) };
  return Object.fromEntries(
    [reply, ...(reply.also ?? [])].map((one) => [
      String(one.status),
      { description: one.description, headers, ...toContent(one) },
    ]),
  );
}

/** A media type of a JSON body, with the examples that its schema has under its name. */
export function jsonContent(schema: Schema): JsonObject {
  const name = componentName(schema);
  const examples = name && EXAMPLES[name];
  return { schema: schemaPart(schema, 'reply'), ...(examples ? { examples } : {}) };
}

function toContent(reply: Pick<ReplySpec, 'body' | 'events' | 'mediaTypes'>): JsonObject {
  const content = {
    ...(reply.body ? { 'application/json': jsonContent(reply.body) } : {}),
    ...(reply.events ? { 'text/event-stream': streamContent(reply.events) } : {}),
    ...Object.fromEntries(
      (reply.mediaTypes ?? []).map((mediaType) => [mediaType, { schema: rawSchema(mediaType) }]),
    ),
  };
  return Object.keys(content).length > 0 ? { content } : {};
}

/** A stream as text. OpenAPI 3.1 cannot describe its events, so the schema of their data is in `$defs`. */
function streamContent(event: Schema): JsonObject {
  const name = componentName(event);
  if (!name) throw new Error('the events of a stream have no name');
  const examples = Object.values(EXAMPLES[name] ?? {});
  return {
    schema: {
      type: 'string',
      description: `Server-sent events. The data of each is a ${name}, in one line of JSON; its name is its \`type\`.`,
      $defs: { [name]: schemaPart(event, 'reply') },
    },
    examples: { stream: { summary: 'One after the other', value: examples.map(toText).join('') } },
  };
}

function toText({ value }: Example): string {
  // Every example of an event has the type that its schema asks for.
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
