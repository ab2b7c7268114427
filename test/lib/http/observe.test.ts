import { describe, expect, it } from 'vitest';
import { createAccess } from '../../../lib/http/access.ts';
import type { ObservedReply } from '../../../lib/http/observer-port.ts';
import { createOperation, type Operation } from '../../../lib/http/operation.ts';
import { ok } from '../../../lib/http/reply.ts';
import { openHttpSettings, type Sent, toEvent } from '../../support/invoke.ts';

const plain = {
  summary: 'Answer',
  protection: 'bearer',
  request: {},
  reply: { status: 201, description: 'An answer.' },
  errors: [],
} as const;
const answering = createOperation({ ...plain, id: 'answer', handle: () => ok({}) });
const failing = createOperation({
  ...plain,
  id: 'fail',
  handle() {
    throw new Error('unforeseen');
  },
});

/** What the observer is told of one request. */
async function told(
  handler: Operation<unknown>,
  sent: Sent = {},
  route: string | undefined = '/v1/things/{id}',
  bearer?: string,
): Promise<readonly ObservedReply[]> {
  const answers: ObservedReply[] = [];
  const settings = openHttpSettings({
    access: createAccess({ bearer, hosts: [] }),
    observer: { replied: (answer) => answers.push(answer) },
  });
  const { signal } = new AbortController();
  await handler(toEvent({ path: '/v1/things/secret', ...sent }), {
    services: {},
    settings,
    route,
    signal: () => signal,
    onReplied: () => {},
  });
  return answers;
}

describe('observe', () => {
  it('tells of an answer once, by the route as the table writes it', async () => {
    const answers = await told(answering, { query: '' });

    expect(answers).toEqual([
      { route: '/v1/things/{id}', method: 'GET', status: 201, durationMs: expect.any(Number) },
    ]);
  });

  it.each<[string, Operation<unknown>, Sent, string | undefined, number]>([
    ['an unforeseen failure', failing, {}, undefined, 500],
    ['a refused page', answering, { headers: { 'sec-fetch-site': 'cross-site' } }, undefined, 403],
    ['a missing token', answering, {}, 'sixteen-bytes-ok', 401],
    ['an unknown parameter', answering, { query: 'a=1' }, undefined, 422],
  ])(
    'tells of %s once, with the status that was answered',
    async (_, handler, sent, bearer, status) => {
      const answers = await told(handler, sent, '/v1/things/{id}', bearer);

      expect(answers.map((answer) => answer.status)).toEqual([status]);
    },
  );

  it.each([
    ['GET', 'GET'],
    ['HEAD', 'HEAD'],
    ['OPTIONS', 'OPTIONS'],
    ['PROPFIND', 'OTHER'],
    ['get', 'OTHER'],
    ['toString', 'OTHER'],
  ])('tells the method %s as %s', async (method, expected) => {
    const answers = await told(answering, { method });

    expect(answers.map((answer) => answer.method)).toEqual([expected]);
  });

  it('tells of a path without a route as unmatched', async () => {
    const seen: ObservedReply[] = [];
    const { signal } = new AbortController();

    await answering(toEvent({ path: '/v1/nothing' }), {
      services: {},
      settings: openHttpSettings({ observer: { replied: (answer) => seen.push(answer) } }),
      signal: () => signal,
      onReplied: () => {},
    });

    expect(seen.map(({ route }) => route)).toEqual(['unmatched']);
  });
});
