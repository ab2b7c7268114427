import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handler as deleteSession } from '../../handlers/sessions/delete-session.ts';
import { handler as getSession } from '../../handlers/sessions/get-session.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { createAccess } from '../../lib/http/access.ts';
import { openSessions } from '../lib/sessions/session-rig.ts';
import { invoke, openHttpSettings } from '../support/invoke.ts';

const KEYED = { mode: 'persistent', key: 'storyboard' } as const;

let rig: Awaited<ReturnType<typeof openSessions>>;

beforeEach(async () => {
  rig = await openSessions();
});
afterEach(() => rig.close());

/** Starts the session like an image request. */
async function start(scope?: string): Promise<string> {
  const turn = await rig.begin(KEYED, scope === undefined ? {} : { scope });
  await turn.end();
  return turn.threadId;
}

const read = (key: string, query = '') =>
  invoke(getSession, { pathParameters: { key }, query }, rig);
const remove = (key: string, query = '') =>
  invoke(deleteSession, { method: 'DELETE', pathParameters: { key }, query }, rig);

const NOT_FOUND = {
  status: 404,
  json: {
    error: {
      code: 'session_not_found',
      type: 'invalid_request_error',
      bridge_ext: { code: 'not_found', retryable: false },
    },
  },
};

describe('getSession', () => {
  it('replies with the key and its thread', async () => {
    const threadId = await start();

    for (const query of ['', 'provider=agent-app-server', 'provider=']) {
      expect(await read('storyboard', query)).toMatchObject({
        status: 200,
        json: { key: 'storyboard', thread_id: threadId, reused: true },
      });
    }
  });

  it.each([
    ['an unknown key', 'another', ''],
    ['a key that no session can have', 'a b', ''],
    ['a provider without sessions', 'storyboard', 'provider=sandbox'],
    ['an unknown provider', 'storyboard', 'provider=none'],
  ])('replies with 404 for %s', async (_what, key, query) => {
    await start();

    expect(await read(key, query)).toMatchObject(NOT_FOUND);
    expect(await remove(key, query)).toMatchObject(NOT_FOUND);
    expect(rig.threads.size).toBe(1);
  });

  it('replies with 404 for a session of another scope', async () => {
    await start('another');

    expect(await read('storyboard')).toMatchObject(NOT_FOUND);
    expect(await remove('storyboard')).toMatchObject(NOT_FOUND);
    expect(rig.threads.size).toBe(1);
  });

  it('rejects an unknown query parameter', async () => {
    expect(await read('storyboard', 'key=a')).toMatchObject({ status: 422 });
  });

  it('requires the token of the bridge', async () => {
    const access = createAccess({ bearer: 'a-token-of-this-bridge', hosts: [] });
    const settings = openHttpSettings({ access });

    const reply = await invoke(getSession, { pathParameters: { key: 'a' } }, rig, settings);

    expect(reply.status).toBe(401);
  });
});

describe('deleteSession', () => {
  it('deletes the session and its thread', async () => {
    await start();

    const reply = await remove('storyboard');

    expect(reply).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
    expect(rig.threads.size).toBe(0);
    expect(await read('storyboard')).toMatchObject(NOT_FOUND);
    expect(await remove('storyboard')).toMatchObject(NOT_FOUND);
  });

  it('rejects the deletion of a session in use', async () => {
    const turn = await rig.begin(KEYED);

    const busy = await remove('storyboard');
    await turn.end();
    const free = await remove('storyboard');

    expect(busy).toMatchObject({
      status: 409,
      json: { error: { code: 'session_busy', bridge_ext: { code: 'conflict' } } },
    });
    expect(free.status).toBe(204);
  });

  it('keeps a session whose thread could not be deleted', async () => {
    const threadId = await start();
    Object.assign(rig.agent.sessions ?? {}, {
      deleteThread: () => Promise.reject(new BridgeError('upstream', 'the agent has ended')),
    });

    const reply = await remove('storyboard');

    expect(reply).toMatchObject({
      status: 502,
      json: { error: { bridge_ext: { provider: 'agent-app-server' } } },
    });
    expect((await read('storyboard')).json).toMatchObject({ thread_id: threadId });
  });
});
