import { describe, expect, it } from 'vitest';
import type { BridgeApi } from '../../../lib/mcp/bridge-api.ts';
import { createMcpServer } from '../../../lib/mcp/mcp-server.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createMcpSessions } from '../../../local-runtime/mcp/mcp-sessions.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { INITIALIZE } from '../../support/mcp-initialize.ts';

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const GENERATE = {
  jsonrpc: '2.0',
  id: 3,
  method: 'tools/call',
  params: { name: 'generate_image', arguments: { prompt: 'A fox' } },
};

/** Sessions at a bridge whose jobs never end. */
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

  function send(body: unknown, scope: string, session?: string, method = 'POST') {
    const request = new Request('http://localhost/mcp', {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
    });
    const caller = { host: undefined, authorization: undefined };
    return sessions.handle(request, { body, scope, caller });
  }

  return {
    called,
    clock,
    sessions,
    send,
    async begin(scope: string, body: unknown = INITIALIZE): Promise<string> {
      const reply = await send(body, scope);
      await reply.text();
      return reply.headers.get('mcp-session-id') ?? '';
    },
    async lists(scope: string, session: string): Promise<number> {
      const reply = await send(LIST, scope, session);
      await reply.text();
      return reply.status;
    },
  };
}

describe('createMcpSessions', () => {
  it('serves a session to the scope that has begun it alone', async () => {
    const { begin, lists } = openSessions();
    const session = await begin('one');

    expect(await lists('one', session)).toBe(200);
    expect(await lists('other', session)).toBe(404);
    expect(await lists('one', 'unknown')).toBe(404);
  });

  it('serves a session that was begun by a list of one message', async () => {
    const { begin, lists } = openSessions();

    expect(await lists('one', await begin('one', [INITIALIZE]))).toBe(200);
  });

  it('refuses a call without a session', async () => {
    const { send } = openSessions();

    expect((await send(LIST, 'one')).status).toBe(400);
  });

  it('ends the session of a scope that was used least recently for its sixty-fifth, and none of another', async () => {
    const { begin, lists } = openSessions();
    const other = await begin('other');
    const own: string[] = [];
    for (let count = 0; count < 64; count += 1) own.push(await begin('one'));
    const [first = '', second = ''] = own;
    expect(await lists('one', first)).toBe(200);

    const newest = await begin('one');

    expect(await lists('one', second)).toBe(404);
    for (const session of [first, newest]) expect(await lists('one', session)).toBe(200);
    expect(await lists('other', other)).toBe(200);
  });

  it('ends sessions that were not used for an hour', async () => {
    const { begin, lists, clock } = openSessions();
    const session = await begin('one');
    await clock.advance(60 * 60 * 1000 + 1);

    await begin('other');

    expect(await lists('one', session)).toBe(404);
  });

  it.each(['by its client', 'with the bridge'])(
    'leaves the jobs of a session running that ends %s',
    async (how) => {
      const { begin, send, sessions, called } = openSessions();
      const session = await begin('one');
      const reply = await send(GENERATE, 'one', session);
      await expect.poll(() => called).toEqual(['POST /v1/jobs']);

      if (how === 'with the bridge') await sessions.close();
      else await send(undefined, 'one', session, 'DELETE');

      await reply.text();
      expect(called).toEqual(['POST /v1/jobs']);
    },
  );

  it('cancels the job of a call that its client cancels', async () => {
    const { begin, send, called } = openSessions();
    const session = await begin('one');
    await send(GENERATE, 'one', session);
    await expect.poll(() => called).toEqual(['POST /v1/jobs']);

    const params = { requestId: GENERATE.id };
    await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, 'one', session);

    await expect.poll(() => called).toEqual(['POST /v1/jobs', 'DELETE /v1/jobs/{id}']);
  });
});
