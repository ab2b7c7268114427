import { describe, expect, it } from 'vitest';
import { createAccess } from '../../../lib/http/access.ts';
import type { ObservedReply } from '../../../lib/http/observer-port.ts';
import { createOperation, type Operation } from '../../../lib/http/operation.ts';
import { ok } from '../../../lib/http/reply/reply.ts';
import { openHttpSettings, type Sent, toEvent } from '../../support/invoke.ts';

const plain = {
  summary: 'Reply',
  protection: 'read',
  request: {},
  reply: { status: 201, description: 'A reply.' },
  errors: [],
} as const;
const replying = createOperation({ ...plain, id: 'reply', handle: () => ok({}) });
const failing = createOperation({
  ...plain,
  id: 'fail',
  handle() {
    throw new Error('unforeseen');
  },
});

/** Returns the reports of one request. */
async function reportsOf(
  handler: Operation<unknown>,
  sent: Sent = {},
  route: string | undefined = '/v1/things/{id}',
  bearer?: string,
): Promise<readonly ObservedReply[]> {
  const replies: ObservedReply[] = [];
  const settings = openHttpSettings({
    access: createAccess({ bearer, hosts: [] }),
    observer: { replied: (reply) => replies.push(reply) },
  });
  const { signal } = new AbortController();
  await handler(toEvent({ path: '/v1/things/secret', ...sent }), {
    services: {},
    settings,
    route,
    signal: () => signal,
    onReplied: () => {},
  });
  return replies;
}

describe('observe', () => {
  it('reports a reply once, with the path of the route table', async () => {
    const replies = await reportsOf(replying, { query: '' });

    const durationMs = expect.any(Number);
    expect(replies).toEqual([
      { route: '/v1/things/{id}', method: 'GET', status: 201, durationMs, callerId: '' },
    ]);
  });

  it.each<[string, Operation<unknown>, Sent, string | undefined, number]>([
    ['an unforeseen failure', failing, {}, undefined, 500],
    ['a refused page', replying, { headers: { 'sec-fetch-site': 'cross-site' } }, undefined, 403],
    ['a missing token', replying, {}, 'sixteen-bytes-ok', 401],
    ['an unknown parameter', replying, { query: 'a=1' }, undefined, 422],
  ])('reports %s once, with the status of its reply', async (_, handler, sent, bearer, status) => {
    const replies = await reportsOf(handler, sent, '/v1/things/{id}', bearer);

    expect(replies.map((reply) => reply.status)).toEqual([status]);
  });

  it.each([
    ['GET', 'GET'],
    ['HEAD', 'HEAD'],
    ['OPTIONS', 'OPTIONS'],
    ['PROPFIND', 'OTHER'],
    ['get', 'OTHER'],
    ['toString', 'OTHER'],
  ])('reports the method %s as %s', async (method, expected) => {
    const replies = await reportsOf(replying, { method });

    expect(replies.map((reply) => reply.method)).toEqual([expected]);
  });

  it('reports a path without a route as unmatched', async () => {
    const seen: ObservedReply[] = [];
    const { signal } = new AbortController();

    await replying(toEvent({ path: '/v1/nothing' }), {
      services: {},
      settings: openHttpSettings({ observer: { replied: (reply) => seen.push(reply) } }),
      signal: () => signal,
      onReplied: () => {},
    });

    expect(seen.map(({ route }) => route)).toEqual(['unmatched']);
  });
});
