import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../dashboard/src/api/api.ts';
import { createResending } from '../../../dashboard/src/connection/resending.ts';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';

/** Opens a page whose requests end with these errors, one after the other, and then succeed. */
function openPage(...errors: ApiError[]) {
  const connection = { returns: signal(0), token: signal<string | undefined>('first') };
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
    attempts: () => attempts,
    async reconnect() {
      await new Promise(setImmediate);
      connection.returns.value += 1;
      await new Promise(setImmediate);
    },
  };
}

const lost = () => ApiError.unreachable();

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
});
