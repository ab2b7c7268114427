import { describe, expect, it } from 'vitest';
import type { BridgeApi } from '../../../lib/mcp/bridge-api.ts';
import { createMcpServer } from '../../../lib/mcp/mcp-server.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createMcpSessions, type SessionOwner } from '../../../local-runtime/mcp/mcp-sessions.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { INITIALIZE } from '../../support/mcp-initialize.ts';

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const GENERATE = {
  jsonrpc: '2.0',
  id: 3,
  method: 'tools/call',
  params: { name: 'generate_image', arguments: { prompt: 'A fox' } },
};

const ONE: SessionOwner = { scope: 's', id: 'one' };
const OTHER_OF_SCOPE: SessionOwner = { scope: 's', id: 'other' };
const OTHER_SCOPE: SessionOwner = { scope: 't', id: 'one' };

/** Creates sessions of a bridge whose jobs never end. */
function openSessions() {
  const called: string[] = [];
  const clock = createManualClock();
  const api = {
    async json(operation: string) {
      called.push(operation);
      return { id: 'job', status: 'running' };
    },
    async *events(_operation: string, { signal }: { signal: AbortSignal }) {
      yield { type: 'progress', stage: 'generating' };
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  } as unknown as BridgeApi;
  const sessions = createMcpSessions({
    clock,
    ids: createIds(clock.nowMs),
    serverFor: (_caller, keepsJobs) =>
      createMcpServer({
        api,
        clock,
        images: () => Promise.reject(new Error('no preview is made')),
        version: '1',
        keepsJobs,
        onFailure: () => {},
      }),
  });

  function send(body: unknown, owner: SessionOwner, session?: string, method = 'POST') {
    const request = new Request('http://localhost/mcp', {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
    });
    const caller = { host: undefined, authorization: undefined };
    return sessions.handle(request, { body, owner, caller });
  }

  return {
    called,
    clock,
    sessions,
    send,
    async begin(owner: SessionOwner, body: unknown = INITIALIZE): Promise<string> {
      const reply = await send(body, owner);
      await reply.text();
      return reply.headers.get('mcp-session-id') ?? '';
    },
    async lists(owner: SessionOwner, session: string): Promise<number> {
      const reply = await send(LIST, owner, session);
      await reply.text();
      return reply.status;
    },
  };
}

describe('createMcpSessions', () => {
  it('serves a session only to the token that opened it', async () => {
    const { begin, lists } = openSessions();
    const session = await begin(ONE);

    expect(await lists(ONE, session)).toBe(200);
    expect(await lists(OTHER_OF_SCOPE, session)).toBe(404);
    expect(await lists(OTHER_SCOPE, session)).toBe(404);
    expect(await lists(ONE, 'unknown')).toBe(404);
  });

  it.each(['GET', 'DELETE'])(
    'refuses %s of another token of the scope with 404',
    async (method) => {
      const { begin, lists, send } = openSessions();
      const session = await begin(ONE);

      const { status } = await send(undefined, OTHER_OF_SCOPE, session, method);

      expect(status).toBe(404);
      expect(await lists(ONE, session)).toBe(200);
    },
  );

  it('serves a session that was started by a batch of one message', async () => {
    const { begin, lists } = openSessions();

    expect(await lists(ONE, await begin(ONE, [INITIALIZE]))).toBe(200);
  });

  it('rejects a call without a session', async () => {
    const { send } = openSessions();

    expect((await send(LIST, ONE)).status).toBe(400);
  });

  it('ends the least recently used session of a token for its sixty-fifth session, and no session of another token', async () => {
    const { begin, lists } = openSessions();
    const other = await begin(OTHER_OF_SCOPE);
    const own: string[] = [];
    for (let count = 0; count < 64; count += 1) own.push(await begin(ONE));
    const [first = '', second = ''] = own;
    expect(await lists(ONE, first)).toBe(200);

    const newest = await begin(ONE);

    expect(await lists(ONE, second)).toBe(404);
    for (const session of [first, newest]) expect(await lists(ONE, session)).toBe(200);
    expect(await lists(OTHER_OF_SCOPE, other)).toBe(200);
  });

  it('ends sessions that were not used for an hour', async () => {
    const { begin, lists, clock } = openSessions();
    const session = await begin(ONE);
    await clock.advance(60 * 60 * 1000 + 1);

    await begin(OTHER_OF_SCOPE);

    expect(await lists(ONE, session)).toBe(404);
  });

  it.each(['by its client', 'with the bridge'])(
    'leaves the jobs of a session running that ends %s',
    async (how) => {
      const { begin, send, sessions, called } = openSessions();
      const session = await begin(ONE);
      const reply = await send(GENERATE, ONE, session);
      await expect.poll(() => called).toEqual(['POST /v1/jobs']);

      if (how === 'with the bridge') await sessions.close();
      else await send(undefined, ONE, session, 'DELETE');

      await reply.text();
      expect(called).toEqual(['POST /v1/jobs']);
    },
  );

  it('cancels the job of a call when its client cancels the call', async () => {
    const { begin, send, called } = openSessions();
    const session = await begin(ONE);
    await send(GENERATE, ONE, session);
    await expect.poll(() => called).toEqual(['POST /v1/jobs']);

    const params = { requestId: GENERATE.id };
    await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, ONE, session);

    await expect.poll(() => called).toEqual(['POST /v1/jobs', 'DELETE /v1/jobs/{id}']);
  });
});
