import { describe, expect, it } from 'vitest';
import { startDeadline } from '../../../lib/admission/deadline.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createManualClock } from '../../support/manual-clock.ts';

describe('startDeadline', () => {
  it('aborts with a timeout at the deadline, not before', async () => {
    const clock = createManualClock();

    const { signal } = startDeadline(clock, 1000, new AbortController().signal);
    await clock.advance(999);
    const early = signal.aborted;
    await clock.advance(1);

    expect(early).toBe(false);
    expect(signal.reason).toMatchObject({ code: 'timeout', retryable: true, details: {} });
  });

  it('aborts earlier with the reason of the signal that it follows', async () => {
    const clock = createManualClock();
    const client = new AbortController();
    const reason = new BridgeError('cancelled', 'the client has disconnected');

    const { signal } = startDeadline(clock, 1000, client.signal);
    client.abort(reason);
    await clock.advance(5000);

    expect(signal.reason).toBe(reason);
  });

  it('is aborted from the start if the client has already disconnected', () => {
    const reason = new BridgeError('cancelled', 'the client has disconnected');

    const { signal } = startDeadline(createManualClock(), 1000, AbortSignal.abort(reason));

    expect(signal.reason).toBe(reason);
  });

  it('reports the remaining time, never less than 0', async () => {
    const clock = createManualClock();
    const deadline = startDeadline(clock, 1000, new AbortController().signal);

    const atFirst = deadline.remainingMs();
    await clock.advance(400);
    const later = deadline.remainingMs();
    await clock.advance(5000);

    expect([atFirst, later, deadline.remainingMs()]).toEqual([1000, 600, 0]);
  });

  it('never aborts after its end, and leaves no timer', async () => {
    const clock = createManualClock();
    const client = new AbortController();
    const deadline = startDeadline(clock, 1000, client.signal);

    deadline.end();
    client.abort(new Error('disconnected'));
    await clock.advance(5000);

    expect(deadline.signal.aborted).toBe(false);
    expect(clock.waiting).toBe(0);
  });
});
