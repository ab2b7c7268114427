import { describe, expect, it, vi } from 'vitest';
import { startDeadline } from '../../../../lib/admission/deadline.ts';
import { BridgeError, type BridgeErrorOptions } from '../../../../lib/errors/bridge-error.ts';
import { createRetriedCall } from '../../../../lib/generation/call/retried-call.ts';
import { createSingleCall } from '../../../../lib/generation/call/single-call.ts';
import type { GenerationEvent } from '../../../../lib/generation/events/generation-event.ts';
import type { ProviderRequest, ProviderResult } from '../../../../lib/providers/provider-port.ts';
import { newLedger } from '../../../support/ledgers.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { createScriptedProvider, type Script } from '../../../support/scripted-provider.ts';
import { anything } from '../capability-documents.ts';
import { requestOf } from '../requests.ts';

const GRACE_MS = 1000;
const result: ProviderResult = { outputs: [{ bytes: Buffer.from('image') }] };

describe('createRetriedCall', () => {
  it('hands the request over and the result back', async () => {
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

  it('makes an unforeseen failure internal, with no text of its own', async () => {
    const { start, provider } = rig();

    const calling = start();
    (await provider.call(0)).fail(new TypeError('a secret path'));

    await expect(calling).rejects.toMatchObject({ code: 'internal', retryable: false });
    await expect(calling).rejects.not.toHaveProperty('message', expect.stringContaining('secret'));
  });

  it('keeps no timer and no listener', async () => {
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

describe('createRetriedCall, repetitions', () => {
  it('repeats a transient failure after its wait, and counts', async () => {
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

  it('gives up with the last failure after as many attempts as the provider allows', async () => {
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

  it('waits as long as the provider says', async () => {
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

  it('repeats nothing after the first partial image', async () => {
    const { start, provider } = rig({ retry: { attempts: 2, backoffMs: 750 } });

    const calling = start();
    const call = await provider.call(0);
    const bytes = Buffer.from('half');
    call.context.onEvent({ type: 'partial_image', index: 0, partialIndex: 0, bytes });
    call.fail(transient());

    await expect(calling).rejects.toMatchObject({ details: { provider_attempts: 1 } });
  });

  it('stops waiting when the client disconnects: the failure before is known', async () => {
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

describe('createRetriedCall, endings', () => {
  it('lets a timeout be repeated when nothing was dispatched', async () => {
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

  it('does not call a provider for a client that has disconnected before', async () => {
    const { start, provider, client } = rig();
    client.abort(disconnected());

    const calling = start();

    await expect(calling).rejects.toMatchObject({
      code: 'cancelled',
      details: { provider_stopped: true },
    });
    expect(provider.calls).toEqual([]);
  });

  it('does not know the outcome of what was dispatched before the deadline', async () => {
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

  it('remembers at the deadline what an earlier try had dispatched', async () => {
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
  ])('abandons a provider that does not stop within the grace: %s', async (_, isDispatched) => {
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
  });

  it('ignores events of a provider that it has abandoned', async () => {
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
  ])('takes %s within the grace for the end that it asked for', async (_, end) => {
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

  it('knows that a result within the grace was made, although no client waits for it', async () => {
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

  it.each<[string, ProviderResult | BridgeError]>([
    ['a result', result],
    ['a failure', new BridgeError('safety_rejected', 'no')],
  ])('believes %s that came before the end, in the same moment', async (_, outcome) => {
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

function rig(script: Partial<Script> = {}, timeoutMs = 60_000) {
  const clock = createManualClock();
  const client = new AbortController();
  const provider = createScriptedProvider({ capabilities: anything, ...script });
  const deadline = startDeadline(clock, timeoutMs, client.signal);
  const events: GenerationEvent[] = [];
  const ledger = newLedger();
  const retriedCall = createRetriedCall({
    clock,
    ids: { newFraction: () => 0.5 },
    singleCall: createSingleCall({ clock, graceMs: GRACE_MS }),
  });
  return {
    clock,
    client,
    provider,
    events,
    ledger,
    start({ signal = deadline.signal } = {}) {
      const calling = retriedCall({
        provider,
        request,
        requestId: 'request-1',
        deadline,
        signal,
        sending: signal,
        onEvent: (event) => events.push(event),
        ledger: ledger.beginCall(provider.name, request.indices),
      });
      // Some tests look at a failure only later.
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
