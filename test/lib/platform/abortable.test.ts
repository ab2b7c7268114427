import { describe, expect, it } from 'vitest';
import { abortable } from '../../../lib/platform/abortable.ts';

const never = new Promise<never>(() => {});
const reason = new Error('the client disconnected');

describe('abortable', () => {
  it('resolves as the work does', async () => {
    const { signal } = new AbortController();

    expect(await abortable(Promise.resolve('done'), signal)).toBe('done');
  });

  it('rejects as the work does', async () => {
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

  it('rejects at once when the signal has aborted before', async () => {
    await expect(abortable(never, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
