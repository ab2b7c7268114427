import { afterEach, describe, expect, it, vi } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { linkSignal } from '../../../lib/platform/linked-signal.ts';

const reason = new BridgeError('cancelled', 'the client disconnected');

describe('linkSignal', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('aborts with the reason of the given signal', () => {
    const given = new AbortController();

    const { signal } = linkSignal(given.signal);
    const before = signal.aborted;
    given.abort(reason);

    expect(before).toBe(false);
    expect(signal.reason).toBe(reason);
  });

  it('is aborted from the start if the given signal has aborted', () => {
    const { signal } = linkSignal(AbortSignal.abort(reason));

    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(reason);
  });

  it('can be aborted without the given signal', () => {
    const given = new AbortController();

    const linked = linkSignal(given.signal);
    linked.abort(reason);

    expect(linked.signal.reason).toBe(reason);
    expect(given.signal.aborted).toBe(false);
  });

  it('keeps its first reason', () => {
    const given = new AbortController();
    const linked = linkSignal(given.signal);

    linked.abort(reason);
    given.abort(new Error('later'));

    expect(linked.signal.reason).toBe(reason);
  });

  it('ignores the given signal after its end', () => {
    const given = new AbortController();
    const linked = linkSignal(given.signal);

    linked.end();
    given.abort(reason);

    expect(linked.signal.aborted).toBe(false);
  });

  it('accepts many listeners without a warning', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { signal } = linkSignal(new AbortController().signal);

    for (let output = 0; output < 255; output += 1) signal.addEventListener('abort', () => {});

    expect(warned).not.toHaveBeenCalled();
  });
});
