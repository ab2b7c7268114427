import { describe, expect, it, vi } from 'vitest';
import { startDeadline } from '../../../../lib/admission/deadline.ts';
import { BridgeError, type BridgeErrorOptions } from '../../../../lib/errors/bridge-error.ts';
import { ERRORS, type ErrorCode } from '../../../../lib/errors/codes.ts';
import { createCallProvider, retryDelayMs } from '../../../../lib/generation/call/call-provider.ts';
import type { GenerationEvent } from '../../../../lib/generation/generation-events.ts';
import { type Account, createLedger } from '../../../../lib/generation/ledger/ledger.ts';
import type { ProviderRequest, ProviderResult } from '../../../../lib/providers/provider-port.ts';
import { recordAccount } from '../../../support/ledgers.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { createScriptedProvider, type Script } from '../../../support/scripted-provider.ts';
import { anything } from '../capability-documents.ts';
import { requestOf } from '../requests.ts';

const GRACE_MS = 1000;
const result: ProviderResult = { outputs: [{ bytes: Buffer.from('image') }] };

describe('createCallProvider', () => {
  it('passes the request to the provider, and returns its result', async () => {
    const { start, provider } = rig();

    const calling = start();
    (await provider.call(0)).succeed(result);

    await expect(calling).resolves.toEqual({ ...result, tries: 1 });
    expect(provider.calls[0]?.request).toBe(request);
    expect(provider.calls[0]?.context).toMatchObject({ requestId: 'request-1', attempt: 1 });
  });

  it('passes events on while the call runs, and none afterwards', async () => {
    const { start, provider, events } = rig();
    const calling = start();
    const call = await provider.call(0);

    call.dispatch();
    call.succeed(result);
    await calling;
    call.context.onEvent({ type: 'progress', stage: 'generating' });

    expect(events).toEqual([{ type: 'progress', stage: 'dispatched' }]);
  });

  it('names the provider and the attempts in a failure', async () => {
    const { start, provider } = rig();

    const calling = start();
    (await provider.call(0)).fail(new BridgeError('safety_rejected', 'no', { details: { a: 1 } }));

    await expect(calling).rejects.toMatchObject({
      code: 'safety_rejected',
      provider: 'scripted',
      details: { a: 1, provider_attempts: 1 },
    });
  });

  it('converts an unexpected error to `internal`, without its text', async () => {
    const { start, provider } = rig();

    const calling = start();
    (await provider.call(0)).fail(new TypeError('a secret path'));

    await expect(calling).rejects.toMatchObject({ code: 'internal', retryable: false });
    await expect(calling).rejects.not.toHaveProperty('message', expect.stringContaining('secret'));
  });

  it('leaves no timer and no listener', async () => {
    const { start, provider, clock, client } = rig({ obeys: false });
    const timers = clock.waiting;
    const added = vi.spyOn(client.signal, 'addEventListener');
    const removed = vi.spyOn(client.signal, 'removeEventListener');

    const calling = start({ signal: client.signal });
    (await provider.call(0)).succeed(result);
    await calling;

    expect(clock.waiting).toBe(timers);
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
  });
});

describe('createCallProvider, retries', () => {
  it('retries a transient failure after its wait, and counts the tries', async () => {
    const { start, provider, clock } = rig({ retry: { attempts: 2, backoffMs: 750 } });

    const calling = start();
    (await provider.call(0)).fail(transient());
    await clock.advance(749);
    const early = provider.calls.length;
    await clock.advance(1);
    (await provider.call(1)).succeed(result);

    expect(early).toBe(1);
    await expect(calling).resolves.toMatchObject({ tries: 2 });
    expect(provider.calls.map(({ context }) => context.attempt)).toEqual([1, 2]);
  });

  it('rejects with the last failure after the number of tries that the provider allows', async () => {
    const { start, provider, clock } = rig({ retry: { attempts: 3, backoffMs: 100 } });

    const calling = start();
    for (const nth of [0, 1, 2]) {
      (await provider.call(nth)).fail(transient({ nth }));
      await clock.advance(1000);
    }

    await expect(calling).rejects.toMatchObject({
      code: 'upstream',
      retryable: true,
      details: { nth: 2, provider_attempts: 3 },
    });
    expect(provider.calls).toHaveLength(3);
  });

  it('deletes the ticket of a failed task before the next try, so that no other process continues the failed task', async () => {
    const { start, provider, clock, withdrawn } = rig({ retry: { attempts: 2, backoffMs: 750 } });

    const calling = start();
    const first = await provider.call(0);
    await first.accept('a ticket');
    first.fail(transient());
    await clock.advance(750);
    const second = await provider.call(1);

    expect(withdrawn).toEqual([0]);
    second.succeed(result);
    await expect(calling).resolves.toMatchObject({ tries: 2 });
  });

  it('does not retry if the ticket of the failed task cannot be deleted', async () => {
    const withdrawTicket = () => Promise.reject(new BridgeError('overloaded', 'no database'));
    const retry = { attempts: 2, backoffMs: 750 };
    const { start, provider, clock } = rig({ retry }, 60_000, { withdrawTicket });

    const calling = start();
    const first = await provider.call(0);
    await first.accept('a ticket');
    first.fail(transient({ nth: 1 }));
    await clock.advance(750);

    await expect(calling).rejects.toMatchObject({ code: 'upstream', details: { nth: 1 } });
    expect(provider.calls).toHaveLength(1);
  });

  it('waits for the time that the provider names', async () => {
    const { start, provider, clock } = rig({ retry: { attempts: 2, backoffMs: 750 } });

    void start();
    (await provider.call(0)).fail(transient({ retry_after_ms: 5000 }));
    await clock.advance(4999);
    const early = provider.calls.length;
    await clock.advance(1);

    expect([early, provider.calls.length]).toEqual([1, 2]);
  });

  it.each<[string, BridgeError, BridgeErrorOptions['details']]>([
    ['an unknown outcome', transient({ outcome: 'unknown' }), { outcome: 'unknown' }],
    ['a long wait', transient({ retry_after_ms: 10_001 }), { retry_after_ms: 10_001 }],
    ['a wait past the deadline', transient({ retry_after_ms: 9_999 }), {}],
  ])('rejects %s at once', async (_, error, details) => {
    const { start, provider } = rig({ retry: { attempts: 2, backoffMs: 750 } }, 5000);

    const calling = start();
    (await provider.call(0)).fail(error);

    await expect(calling).rejects.toMatchObject({ details: { ...details, provider_attempts: 1 } });
  });

  it('does not retry after the first partial image', async () => {
    const { start, provider } = rig({ retry: { attempts: 2, backoffMs: 750 } });

    const calling = start();
    const call = await provider.call(0);
    const bytes = Buffer.from('half');
    call.context.onEvent({ type: 'partial_image', index: 0, partialIndex: 0, bytes });
    call.fail(transient());

    await expect(calling).rejects.toMatchObject({ details: { provider_attempts: 1 } });
  });

  it('stops the wait for a retry when the client disconnects, with a known outcome', async () => {
    const { start, provider, clock, client } = rig({ retry: { attempts: 2, backoffMs: 750 } });

    const calling = start();
    const call = await provider.call(0);
    call.dispatch();
    call.fail(transient());
    await clock.advance(100);
    client.abort(disconnected());

    await expect(calling).rejects.toMatchObject({
      code: 'cancelled',
      retryable: false,
      details: { provider_stopped: true, provider_attempts: 1 },
    });
    expect(provider.calls).toHaveLength(1);
  });
});

describe('createCallProvider, endings', () => {
  it('reports a timeout as retryable if nothing was sent', async () => {
    const { start, provider, clock } = rig({}, 5000);

    const calling = start();
    await provider.call(0);
    await clock.advance(5000);

    await expect(calling).rejects.toMatchObject({
      code: 'timeout',
      retryable: true,
      details: { provider_stopped: true, provider_attempts: 1 },
    });
    await expect(calling).rejects.not.toHaveProperty('details.outcome');
  });

  it('does not call a provider for a client that has already disconnected', async () => {
    const { start, provider, client } = rig();
    client.abort(disconnected());

    const calling = start();

    await expect(calling).rejects.toMatchObject({
      code: 'cancelled',
      details: { provider_stopped: true },
    });
    expect(provider.calls).toEqual([]);
  });

  it('reports an unknown outcome at the deadline if the call was sent', async () => {
    const { start, provider, clock } = rig({}, 5000);

    const calling = start();
    (await provider.call(0)).dispatch();
    await clock.advance(5000);

    await expect(calling).rejects.toMatchObject({
      code: 'timeout',
      retryable: false,
      details: { outcome: 'unknown', provider_stopped: true },
    });
  });

  it('reports a timeout as not retryable if an earlier try was sent', async () => {
    const { start, provider, clock } = rig({ retry: { attempts: 2, backoffMs: 750 } }, 5000);

    const calling = start();
    const first = await provider.call(0);
    first.dispatch();
    first.fail(transient());
    await clock.advance(5000);

    await expect(calling).rejects.toMatchObject({
      code: 'timeout',
      retryable: false,
      details: { provider_stopped: true, provider_attempts: 2 },
    });
    await expect(calling).rejects.not.toHaveProperty('details.outcome');
  });

  it.each([
    ['dispatched', true],
    ['not dispatched', false],
  ])(
    'abandons a provider that does not stop within the grace period: %s',
    async (_, isDispatched) => {
      const { start, provider, clock, client } = rig({ obeys: false });
      const calling = start();
      const settled = vi.fn();
      calling.catch(settled);
      const call = await provider.call(0);
      if (isDispatched) call.dispatch();

      client.abort(disconnected());
      await clock.advance(GRACE_MS - 1);
      const early = settled.mock.calls.length;
      await clock.advance(1);

      expect(early).toBe(0);
      await expect(calling).rejects.toMatchObject({
        code: 'cancelled',
        retryable: false,
        details: { outcome: 'unknown', provider_stopped: false },
      });
    },
  );

  it('ignores events of an abandoned provider', async () => {
    const { start, provider, clock, client, events } = rig({ obeys: false });
    const calling = start();
    const call = await provider.call(0);

    client.abort(disconnected());
    await clock.advance(GRACE_MS);
    await calling.catch(() => {});
    call.dispatch();
    call.fail(new Error('at last'));
    await clock.advance(0);

    expect(events).toEqual([]);
  });

  it.each<[string, (call: { fail(it: Error): void }) => void]>([
    ['a failure', (call) => call.fail(transient())],
    ['noise', (call) => call.fail(new Error('AbortError'))],
  ])('treats %s within the grace period as the requested stop', async (_, end) => {
    const { start, provider, clock, client } = rig({ obeys: false });
    const calling = start();
    const call = await provider.call(0);
    call.dispatch();

    client.abort(disconnected());
    await clock.advance(GRACE_MS / 2);
    end(call);

    await expect(calling).rejects.toMatchObject({
      code: 'cancelled',
      details: { outcome: 'unknown', provider_stopped: true },
    });
    expect(provider.calls).toHaveLength(1);
  });

  it('counts a result within the grace period as made, although no client waits for it', async () => {
    const { start, provider, clock, client, ledger } = rig({ obeys: false });
    const calling = start();
    const call = await provider.call(0);
    call.dispatch();

    client.abort(disconnected());
    await clock.advance(GRACE_MS / 2);
    call.succeed(result);

    const error = await calling.catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'cancelled', details: { provider_stopped: true } });
    expect(error.details).not.toHaveProperty('outcome');
    expect(ledger.rows()).toMatchObject([{ progress: 'lost', paid: 'yes' }]);
  });

  it('charges nothing for a stopped call if the provider says that it had not begun the call', async () => {
    const { start, provider, client, ledger } = rig({ obeys: false });
    const calling = start();
    const call = await provider.call(0);
    call.dispatch();

    client.abort(disconnected());
    call.fail(new BridgeError('cancelled', 'withdrawn', { effect: 'not_begun' }));

    const error = await calling.catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'cancelled', effect: 'not_begun' });
    expect(error.details).not.toHaveProperty('outcome');
    expect(ledger.rows()).toMatchObject([{ paid: 'no' }]);
  });

  it.each<[string, ProviderResult | BridgeError]>([
    ['a result', result],
    ['a failure', new BridgeError('safety_rejected', 'no')],
  ])('accepts %s that came before the abort, in the same turn', async (_, outcome) => {
    const { start, provider, client } = rig();
    const calling = start();
    const call = await provider.call(0);

    if (outcome instanceof BridgeError) call.fail(outcome);
    else call.succeed(outcome);
    await Promise.resolve();
    client.abort(disconnected());

    if (outcome instanceof BridgeError) {
      await expect(calling).rejects.toMatchObject({ code: 'safety_rejected' });
    } else {
      await expect(calling).resolves.toMatchObject(outcome);
    }
  });
});

const request: ProviderRequest = {
  model: 'scripted-image',
  operation: 'generate',
  prompt: 'a boat',
  parameters: requestOf().parameters,
  indices: [0],
  images: [],
  references: [],
};

function rig(script: Partial<Script> = {}, timeoutMs = 60_000, own: Partial<Account> = {}) {
  const clock = createManualClock();
  const client = new AbortController();
  const provider = createScriptedProvider({ capabilities: anything, ...script });
  const deadline = startDeadline(clock, timeoutMs, client.signal);
  const events: GenerationEvent[] = [];
  const { account, withdrawn } = recordAccount();
  const ledger = createLedger({ ...account, ...own }, 1);
  const callProvider = createCallProvider({
    clock,
    ids: { newFraction: () => 0.5 },
    graceMs: GRACE_MS,
  });
  return {
    clock,
    client,
    provider,
    events,
    ledger,
    withdrawn,
    start({ signal = deadline.signal } = {}) {
      const calling = callProvider({
        provider,
        request,
        requestId: 'request-1',
        deadline,
        signal,
        sending: signal,
        onEvent: (event) => events.push(event),
        ledger: ledger.beginCall(provider.name, request.indices),
      });
      // Some tests read a failure only later, so that it must not be unhandled.
      calling.catch(() => {});
      return calling;
    },
  };
}

function transient(details: NonNullable<BridgeErrorOptions['details']> = {}): BridgeError {
  return new BridgeError('upstream', 'try again', { retryable: true, transient: true, details });
}

function disconnected(): BridgeError {
  return new BridgeError('cancelled', 'the client has disconnected');
}

const policy = { attempts: 3, backoffMs: 1000 };
const situation = { attempt: 1, remainingMs: 60_000, fraction: 0.5 };
const CODES = Object.keys(ERRORS) as ErrorCode[];

describe('retryDelayMs', () => {
  it('returns the backoff of a failure that the provider calls transient', () => {
    expect(retryDelayMs(transient(), policy, situation)).toBe(1000);
  });

  it.each(CODES)('never retries %s only because its code is retryable', (code) => {
    expect(retryDelayMs(failure(code, { retryable: true }), policy, situation)).toBeUndefined();
  });

  it.each<[string, BridgeError, Partial<typeof situation>]>([
    ['an unknown outcome', transient({ outcome: 'unknown' }), {}],
    ['the last attempt', transient(), { attempt: 3 }],
    ['what would wait too long', transient({ retry_after_ms: 10_001 }), {}],
    ['what would wait past the deadline', transient(), { remainingMs: 1000 }],
    [
      'what may wait past the deadline only',
      transient({ retry_after_ms: 500 }),
      { remainingMs: 400 },
    ],
  ])('does not retry %s', (_, error, change) => {
    expect(retryDelayMs(error, policy, { ...situation, ...change })).toBeUndefined();
  });

  it.each([
    [1, 0, 800],
    [1, 0.5, 1000],
    [1, 1, 1200],
    [2, 0, 1600],
    [2, 0.25, 1800],
  ])('waits after attempt %i with the jitter of %d for %i ms', (attempt, fraction, expected) => {
    const waitMs = retryDelayMs(transient(), policy, { ...situation, attempt, fraction });

    expect(waitMs).toBeCloseTo(expected, 9);
  });

  it.each([0, 1, 3000, 10_000])('waits for the requested %i ms, without jitter', (asked) => {
    const error = failure('rate_limited', {
      transient: true,
      details: { retry_after_ms: asked },
    });

    expect(retryDelayMs(error, policy, { ...situation, fraction: 0.9 })).toBe(asked);
  });

  it('never retries for a provider that allows one attempt', () => {
    const once = { attempts: 1, backoffMs: 0 };

    expect(retryDelayMs(transient(), once, situation)).toBeUndefined();
  });
});

function failure(code: ErrorCode, options: BridgeErrorOptions): BridgeError {
  return new BridgeError(code, 'a failure', options);
}
