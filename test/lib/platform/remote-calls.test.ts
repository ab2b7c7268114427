import { describe, expect, test } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { toFailureReport } from '../../../lib/log/failure-report.ts';
import {
  type Call,
  createCallServer,
  createRemoteCalls,
  type Ports,
  type Reply,
} from '../../../lib/platform/remote-calls.ts';

/** Connects both sides. Every message is cloned, as between threads. */
function connect(ports: Ports) {
  const messages: { readonly calls: number[]; readonly replies: number[] } = {
    calls: [],
    replies: [],
  };
  const serve = createCallServer(ports, (replies: readonly Reply[]) => {
    messages.replies.push(replies.length);
    const copies = structuredClone(replies);
    setImmediate(() => remote.settle(copies));
  });
  const remote = createRemoteCalls((calls: readonly Call[]) => {
    const copies = structuredClone(calls);
    messages.calls.push(calls.length);
    setImmediate(() => serve(copies));
  });
  return { remote, messages };
}

describe('createRemoteCalls', () => {
  test('calls of one turn share a message in each direction, and are settled in order', async () => {
    const { remote, messages } = connect({ port: { twice: async (value: number) => value * 2 } });
    const order: unknown[] = [];

    const calls = [1, 2, 3].map((value) => remote.call('port', 'twice', [value]));
    await Promise.all(calls.map((call) => call.then((value) => order.push(value))));

    expect(order).toEqual([2, 4, 6]);
    expect(messages).toEqual({ calls: [3], replies: [3] });
  });

  test('many calls of one turn are sent in several messages, so that the other side can begin', async () => {
    const { remote, messages } = connect({ port: { twice: async (value: number) => value * 2 } });

    const calls = Array.from({ length: 40 }, (_, value) => remote.call('port', 'twice', [value]));
    const sentAtOnce = [...messages.calls];
    const results = await Promise.all(calls);

    expect(sentAtOnce).toEqual([16, 16]);
    expect(messages.calls).toEqual([16, 16, 8]);
    expect(results).toEqual(Array.from({ length: 40 }, (_, value) => value * 2));
  });

  test('a BridgeError keeps its facts, and its cause keeps class, code and frames but no message', async () => {
    class SqliteError extends Error {
      override readonly name = 'SqliteError';
      readonly code = 'SQLITE_FULL';
    }
    const thrown = new BridgeError('overloaded', 'the state database is unavailable', {
      details: { reason: 'state_store_full' },
      cause: new SqliteError('a prompt'),
    });
    const { remote } = connect({ port: { fail: () => Promise.reject(thrown) } });

    const error = await remote.call('port', 'fail', []).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(BridgeError);
    expect(error).toMatchObject({
      code: 'overloaded',
      message: thrown.message,
      details: thrown.details,
      retryable: true,
      cause: { name: 'SqliteError', code: 'SQLITE_FULL', message: '' },
    });
    expect(toFailureReport(error)).toEqual(toFailureReport(thrown));
    expect(
      JSON.stringify([(error as Error).stack, ((error as Error).cause as Error).stack]),
    ).not.toContain('a prompt');
  });

  test('only the call whose argument cannot be cloned fails', async () => {
    const { remote } = connect({ port: { same: async (value: unknown) => value } });

    const calls = [remote.call('port', 'same', [1]), remote.call('port', 'same', [() => {}])];
    const outcomes = await Promise.allSettled(calls);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(remote.areWaiting()).toBe(false);
  });

  test('rejectAll rejects calls without a reply', async () => {
    const { remote } = connect({ port: { wait: () => new Promise(() => {}) } });

    const call = remote.call('port', 'wait', []);
    remote.rejectAll(new Error('ended'));

    await expect(call).rejects.toThrow('ended');
  });
});
