import { describe, expect, it } from 'vitest';
import { buildOpenApiDocument } from '../../infra/generators/openapi/build-document.ts';
import { StreamEvent } from '../../lib/contract/reply/stream-events.ts';
import { Ready } from '../../lib/contract/resources/diagnostics.ts';
import { createReplyChecker } from '../support/reply-checker.ts';

const spec = {
  id: 'getReadiness',
  summary: 'Report whether work would be taken now',
  protection: 'read',
  request: {},
  reply: {
    status: 200,
    description: 'Ready.',
    body: Ready,
    also: [{ status: 304, description: '' }],
  },
  errors: [],
} as const;
const handler = { spec };
const streaming = {
  spec: { ...spec, id: 'watch', reply: { status: 200, description: '', events: StreamEvent } },
};
const checker = createReplyChecker(
  buildOpenApiDocument(
    [
      { method: 'GET', path: '/v1/{name}/ready', tag: 'Health', handler },
      { method: 'POST', path: '/v1/watch', tag: 'Images', handler: streaming },
    ],
    '1',
  ),
);

const headers = { 'x-request-id': 'r1', 'content-type': 'application/json; charset=utf-8' };
const request = { method: 'GET', path: '/v1/x/ready?a=b' };
const error = {
  error: {
    message: 'm',
    type: 't',
    param: null,
    code: 'not_found',
    bridge_ext: { code: 'not_found', retryable: false, details: {}, suggestions: [] },
  },
  request_id: 'r1',
};

describe('createReplyChecker', () => {
  it.each([
    ['by its operation', 'getReadiness', { status: 'ready' }],
    ['by its path', request, { status: 'ready' }],
    ['as text', request, '{"status":"ready"}'],
    ['as bytes', request, Buffer.from('{"status":"ready"}')],
  ])('takes a documented reply %s', (_name, operation, body) => {
    expect(() => checker.check(operation, 200, headers, body)).not.toThrow();
  });

  it('accepts a reply to HEAD without its body', () => {
    expect(() => checker.check({ ...request, method: 'HEAD' }, 200, headers, '')).not.toThrow();
  });

  it('accepts a reply without a body', () => {
    expect(() => checker.check(request, 304, { 'x-request-id': 'r1' }, undefined)).not.toThrow();
  });

  it.each([
    ['an unknown path', { method: 'GET', path: '/nowhere' }, 404],
    ['an unknown method', { ...request, method: 'PUT' }, 405],
  ])('takes the error for %s', (_name, operation, status) => {
    expect(() => checker.check(operation, status, headers, error)).not.toThrow();
  });

  it.each([
    ['an undocumented status', request, 404, headers, error],
    ['an unknown field', request, 200, headers, { status: 'ready', more: 1 }],
    ['a value of another kind', request, 200, headers, { status: 'live' }],
    ['text that is not JSON', request, 200, headers, 'ready'],
    ['another media type', request, 200, { ...headers, 'content-type': 'text/plain' }, 'ready'],
    ['no request id', request, 200, { 'content-type': 'application/json' }, { status: 'ready' }],
    ['a bad request id', request, 200, { ...headers, 'x-request-id': 'ä' }, { status: 'ready' }],
    [
      'another request id in the body',
      { method: 'GET', path: '/x' },
      404,
      headers,
      { ...error, request_id: 'r2' },
    ],
    ['a body where there is none', request, 304, headers, { status: 'ready' }],
    ['an error without the header for retries', request, 401, headers, error],
    ['success without a route', { method: 'GET', path: '/x' }, 200, headers, {}],
  ])('refuses %s', (_name, operation, status, given, body) => {
    expect(() => checker.check(operation, status, given, body)).toThrow();
  });

  it('throws for an operation that the document does not have', () => {
    expect(() => checker.check('getNothing', 200, headers, {})).toThrow('getNothing');
  });

  const queued = 'event: progress\ndata: {"type":"progress","stage":"queued"}\n\n';

  it('checks each event of a stream against its schema', () => {
    const sse = { ...headers, 'content-type': 'text/event-stream' };

    expect(() =>
      checker.check('watch', 200, sse, `${queued}: heartbeat\n\n${queued}`),
    ).not.toThrow();
  });

  it.each([
    ['data that is not as documented', queued.replace('queued', 'lost')],
    ['another name than the type', queued.replace('event: progress', 'event: started')],
    ['an event without an end', `${queued}event: progress`],
    ['a line that is not an event', `retry: 5\n\n${queued}`],
    ['data in two lines', queued.replace(',', ',\ndata: ')],
  ])('refuses a stream with %s', (_name, text) => {
    const sse = { ...headers, 'content-type': 'text/event-stream' };

    expect(() => checker.check('watch', 200, sse, text)).toThrow();
  });

  it('checks the data of an event against its schema', () => {
    const event = { type: 'progress', stage: 'queued' };

    expect(() => checker.checkComponent('StreamEvent', event)).not.toThrow();
    expect(() => checker.checkComponent('StreamEvent', { ...event, stage: 'x' })).toThrow();
  });
});
