import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../dashboard/src/api/api.ts';
import type { Caller } from '../../../dashboard/src/connection/connection.ts';
import { createResending } from '../../../dashboard/src/connection/resending.ts';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';

/** Opens a page whose requests end with these errors, one after the other, and then succeed. */
function openPage(...errors: ApiError[]) {
  const connection = {
    returns: signal(0),
    token: signal<string | undefined>('first'),
    caller: signal<Caller | undefined>({ token: 'first', isAccepted: true }),
  };
  const toasts = createToasts();
  const resending = createResending({ connection, toasts });
  let attempts = 0;
  async function send(): Promise<string> {
    attempts += 1;
    const error = errors.shift();
    if (error) throw error;
    return 'answer';
  }
  return {
    connection,
    toasts,
    resending,
    send: () => resending.untilAnswered(send),
    change: () => resending.untilAccepted(send),
    /** Replaces the token, as the sign-in does, and accepts the new token. */
    async enter(token: string | undefined) {
      connection.token.value = token;
      connection.caller.value = token === undefined ? undefined : { token, isAccepted: true };
      connection.returns.value += 1;
      await new Promise(setImmediate);
    },
    attempts: () => attempts,
    async reconnect() {
      await new Promise(setImmediate);
      connection.returns.value += 1;
      await new Promise(setImmediate);
    },
  };
}

const lost = () => ApiError.unreachable();
const rejected = () => ApiError.ofReply(401, undefined);

describe('createResending', () => {
  it('sends a request again each time the bridge is reachable again, until it answers', async () => {
    const page = openPage(lost(), lost());
    const answer = page.send();

    await page.reconnect();
    expect([page.attempts(), page.resending.pending.value]).toEqual([2, 1]);
    await page.reconnect();

    expect(await answer).toBe('answer');
    expect([page.attempts(), page.resending.pending.value]).toEqual([3, 0]);
  });

  it('shows one message for all requests, until the last of them is answered', async () => {
    const page = openPage(lost(), lost(), lost());
    const answers = [page.send(), page.send()];
    await new Promise(setImmediate);
    expect(page.toasts.list.value).toHaveLength(1);

    await page.reconnect();
    expect(page.toasts.list.value).toHaveLength(1);
    await page.reconnect();

    expect(await Promise.all(answers)).toEqual(['answer', 'answer']);
    expect(page.toasts.list.value).toEqual([]);
  });

  it('does not repeat a request that the bridge has rejected', async () => {
    const refusal = ApiError.ofReply(422, undefined);
    const page = openPage(refusal);

    await expect(page.send()).rejects.toBe(refusal);
    expect(page.attempts()).toBe(1);
  });

  it('never sends a request with another token', async () => {
    const page = openPage(lost());
    const answer = page.send();
    const rejected = expect(answer).rejects.toMatchObject({ code: 'unreachable' });

    await new Promise(setImmediate);
    page.connection.token.value = 'second';
    await page.reconnect();

    await rejected;
    expect([page.attempts(), page.toasts.list.value]).toEqual([1, []]);
  });

  it('gives up after six attempts, because the bridge may end the connection of each of them', async () => {
    const page = openPage(...Array.from({ length: 9 }, lost));
    const rejected = expect(page.send()).rejects.toMatchObject({ code: 'unreachable' });

    for (let nth = 0; nth < 8; nth += 1) await page.reconnect();

    await rejected;
    expect(page.attempts()).toBe(6);
  });

  describe('behind a gateway', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    it('repeats a request that the gateway could not deliver, after a pause', async () => {
      const page = openPage(ApiError.ofReply(502, undefined), ApiError.ofReply(504, undefined));
      const answer = page.send();

      await vi.advanceTimersByTimeAsync(3000);
      await vi.advanceTimersByTimeAsync(3000);

      expect(await answer).toBe('answer');
      expect(page.attempts()).toBe(3);
    });
  });

  describe('for a change that was rejected with the token', () => {
    it('makes the change when the same token is accepted again', async () => {
      const page = openPage(rejected());
      const answer = page.change();
      await new Promise(setImmediate);
      const [message] = page.toasts.list.value;
      expect(message?.text).toBe('Waiting for a token');

      await page.reconnect();

      expect(await answer).toBe('answer');
      expect([page.attempts(), page.toasts.list.value]).toEqual([2, []]);
    });

    it('asks once for all changes before it makes them with another token', async () => {
      const page = openPage(rejected(), rejected());
      const answers = Promise.all([page.change(), page.change()]);
      await new Promise(setImmediate);

      await page.enter('second');
      const [question, ...others] = page.toasts.list.value;
      expect([question?.text, others, page.attempts()]).toEqual(['Changes were not made', [], 2]);
      question?.action?.run();

      expect(await answers).toEqual(['answer', 'answer']);
      expect([page.attempts(), page.toasts.list.value]).toEqual([4, []]);
    });

    it('does not make the change if the question is closed', async () => {
      const page = openPage(rejected());
      const answer = page.change();
      const failed = expect(answer).rejects.toMatchObject({ status: 401 });
      await new Promise(setImmediate);

      await page.enter('second');
      for (const { id } of page.toasts.list.value) page.toasts.close(id);

      await failed;
      expect(page.attempts()).toBe(1);
    });

    it('asks nothing after the token was forgotten', async () => {
      const page = openPage(rejected());
      const failed = expect(page.change()).rejects.toMatchObject({ status: 401 });
      await new Promise(setImmediate);

      await page.enter(undefined);

      await failed;
      expect([page.attempts(), page.toasts.list.value]).toEqual([1, []]);
    });

    it('does not wait for a token that was never accepted', async () => {
      const page = openPage(rejected());
      page.connection.caller.value = { token: 'first', isAccepted: false };

      await expect(page.change()).rejects.toMatchObject({ status: 401 });
      expect(page.attempts()).toBe(1);
    });
  });
});
