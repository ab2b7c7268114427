import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { noAbort, openSessions } from './session-rig.ts';

const KEYED = { mode: 'persistent', key: 'storyboard' } as const;

let rig: Awaited<ReturnType<typeof openSessions>>;

beforeEach(async () => {
  rig = await openSessions();
});
afterEach(() => rig.close());

/** Begins a turn and ends it, as an operation that succeeds does. */
async function takeTurn(...given: Parameters<typeof rig.begin>) {
  const turn = await rig.begin(...given);
  await turn.end();
  return turn;
}

describe('createSessionTurns', () => {
  test('a new key is bound to a new thread, which the next turn finds again', async () => {
    const first = await takeTurn(KEYED);
    const second = await takeTurn(KEYED);

    const { threadId } = first;
    expect([...rig.threads]).toEqual([threadId]);
    expect(first.report).toEqual({ key: 'storyboard', thread_id: threadId, reused: false });
    expect(second.report).toEqual({ key: 'storyboard', thread_id: threadId, reused: true });
  });

  test('the same key of another scope is bound to another thread', async () => {
    const ours = await takeTurn(KEYED);
    const theirs = await takeTurn(KEYED, { scope: 'another' });

    expect(theirs.threadId).not.toBe(ours.threadId);
    expect(theirs.report.reused).toBe(false);
  });

  test('a turn continues a thread of its scope by the id of the thread', async () => {
    const { threadId } = await takeTurn(KEYED);

    const turn = await takeTurn({ mode: 'thread', thread_id: threadId });

    expect(turn.report).toEqual({ thread_id: threadId, reused: true });
  });

  test('a thread of another scope, and a thread that the bridge did not create, are not found', async () => {
    const { threadId } = await takeTurn(KEYED);

    for (const [thread_id, scope] of [
      [threadId, 'another'],
      ['made-elsewhere', 'anonymous'],
    ] as const) {
      const session = { mode: 'thread', thread_id } as const;
      const refused = { code: 'session_not_found' };
      await expect(rig.begin(session, { scope })).rejects.toMatchObject(refused);
      await expect(rig.turns.check(rig.turnOf(session, scope))).rejects.toMatchObject(refused);
    }
  });

  test('operations of a session run one at a time in their order, by key or by thread', async () => {
    const first = await rig.begin(KEYED);
    const thread = { mode: 'thread', thread_id: first.threadId } as const;
    const order: string[] = [];
    const enter = async (name: string, session: Parameters<typeof rig.begin>[0]) => {
      const turn = await rig.begin(session);
      order.push(name);
      await turn.end();
    };
    const byKey = enter('key', KEYED);
    // A turn enters the queue once the key of its thread is known.
    await rig.turns.check(rig.turnOf(thread));
    const byThread = enter('thread', thread);
    await takeTurn({ mode: 'persistent', key: 'another' });

    expect(order).toEqual([]);
    await first.end();
    await Promise.all([byKey, byThread]);

    expect(order).toEqual(['key', 'thread']);
  });

  test('operations that begin a session at the same time share one thread', async () => {
    const turns = await Promise.all([takeTurn(KEYED), takeTurn(KEYED), takeTurn(KEYED)]);

    expect(rig.threads.size).toBe(1);
    expect(turns.map(({ report }) => report.reused)).toEqual([false, true, true]);
  });

  test('a turn stops waiting for its session when the signal aborts', async () => {
    const first = await rig.begin(KEYED);
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const waiting = rig.begin(KEYED, { signal: controller.signal });

    controller.abort(reason);

    await expect(waiting).rejects.toBe(reason);
    await first.end();
    expect((await takeTurn(KEYED)).report.reused).toBe(true);
  });

  test('a turn is rejected if its thread was deleted while the turn waited', async () => {
    const first = await rig.begin(KEYED);
    const waiting = rig.begin({ mode: 'thread', thread_id: first.threadId });

    await first.end(new BridgeError('session_not_found', 'the thread is unknown'));

    await expect(waiting).rejects.toMatchObject({ code: 'session_not_found' });
  });

  test('a session is removed if the provider no longer has its thread, and is kept after other failures', async () => {
    const first = await rig.begin(KEYED);
    await first.end(new BridgeError('upstream', 'failed'));
    const second = await rig.begin(KEYED);
    await second.end(new BridgeError('session_not_found', 'the thread is unknown'));

    const third = await takeTurn(KEYED);

    expect(second.threadId).toBe(first.threadId);
    expect(third.threadId).not.toBe(first.threadId);
    expect(third.report.reused).toBe(false);
  });

  test('the error of a thread that cannot be created names the provider, and the next operation begins', async () => {
    const createThread = () => Promise.reject(new BridgeError('upstream', 'the agent has ended'));
    const sessions = { createThread, deleteThread: async () => {} };
    const provider = { ...rig.agent, sessions };

    const failing = rig.turns.begin({ ...rig.turnOf(KEYED), provider }, noAbort);

    await expect(failing).rejects.toMatchObject({ code: 'upstream', provider: 'agent-app-server' });
    expect((await takeTurn(KEYED)).report.reused).toBe(false);
  });

  test('a new thread is deleted again if its key cannot be stored', async () => {
    const id = { scope: 'anonymous', provider: rig.agent.name, key: 'storyboard' };
    // This is the id of the next thread, and no two sessions share a thread.
    await rig.store.bind({ ...id, key: 'another' }, 'thread-1 of m for r');

    const failing = rig.begin(KEYED);

    await expect(failing).rejects.toMatchObject({ code: 'internal' });
    expect(rig.threads.size).toBe(0);
    expect(rig.locks.isHeld(id)).toBe(false);
  });
});
