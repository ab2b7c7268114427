import { afterEach, describe, expect, it, vi } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { linkSignal } from '../../../lib/platform/linked-signal.ts';

const reason = new BridgeError('cancelled', 'the client has left');

describe('followSignal', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('aborts with the reason of the signal that it follows', () => {
    const given = new AbortController();

    const { signal } = linkSignal(given.signal);
    const before = signal.aborted;
    given.abort(reason);

    expect(before).toBe(false);
    expect(signal.reason).toBe(reason);
  });

  it('has aborted from the start when the other has', () => {
    const { signal } = linkSignal(AbortSignal.abort(reason));

    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(reason);
  });

  it('aborts on its own without the other', () => {
    const given = new AbortController();

    const followed = linkSignal(given.signal);
    followed.abort(reason);

    expect(followed.signal.reason).toBe(reason);
    expect(given.signal.aborted).toBe(false);
  });

  it('keeps its first reason', () => {
    const given = new AbortController();
    const followed = linkSignal(given.signal);

    followed.abort(reason);
    given.abort(new Error('later'));

    expect(followed.signal.reason).toBe(reason);
  });

  it('follows no longer once it has ended', () => {
    const given = new AbortController();
    const followed = linkSignal(given.signal);

    followed.end();
    given.abort(reason);

    expect(followed.signal.aborted).toBe(false);
  });

  it('takes a listener for every output of a large request without a warning', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { signal } = linkSignal(new AbortController().signal);

    for (let output = 0; output < 255; output += 1) signal.addEventListener('abort', () => {});

    expect(warned).not.toHaveBeenCalled();
  });
});
