import { describe, expect, it } from 'vitest';
import { abortable } from '../../../lib/platform/abortable.ts';

const never = new Promise<never>(() => {});
const reason = new Error('the client disconnected');

describe('abortable', () => {
  it('resolves like the work', async () => {
    const { signal } = new AbortController();

    expect(await abortable(Promise.resolve('done'), signal)).toBe('done');
  });

  it('rejects like the work', async () => {
    const { signal } = new AbortController();
    const failure = new Error('broken');

    await expect(abortable(Promise.reject(failure), signal)).rejects.toBe(failure);
  });

  it('rejects with the reason of an abort while the work continues', async () => {
    const client = new AbortController();

    const outcome = abortable(never, client.signal);
    client.abort(reason);

    await expect(outcome).rejects.toBe(reason);
  });

  it('rejects at once if the signal has already aborted', async () => {
    await expect(abortable(never, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
