import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAdmission, type RoutePass } from '../../../lib/admission/admission.ts';
import type { BreakerSettings } from '../../../lib/admission/circuit-breaker.ts';
import { startDeadline } from '../../../lib/admission/deadline.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const provider = 'sandbox';
const OPEN_MS = 1000;
const UNLIMITED = { max_concurrent: 'unlimited', max_queued: 'unlimited' } as const;
const BREAKER: BreakerSettings = {
  enabled: true,
  failure_threshold: 2,
  open_duration_ms: OPEN_MS,
  half_open_max_calls: 1,
  success_threshold: 1,
};

const unaborted = new AbortController().signal;
const FAILURE = new BridgeError('upstream', 'it failed', { provider });

interface Bounds {
  readonly max_concurrent: number | 'unlimited';
  readonly max_queued: number | 'unlimited';
}

function admissionOf(bounds: {
  readonly global?: Bounds;
  readonly own?: Bounds;
  readonly breaker?: Partial<BreakerSettings>;
}) {
  const clock = createManualClock();
  const events: string[] = [];
  const own = bounds.own ?? UNLIMITED;
  const admission = createAdmission({
    runtime: {
      global: bounds.global ?? UNLIMITED,
      provider_default: UNLIMITED,
      providers: { 'agent-responses': UNLIMITED, 'agent-app-server': UNLIMITED, sandbox: own },
      circuit_breaker: BREAKER,
      circuit_breakers: {
        'agent-responses': BREAKER,
        'agent-app-server': BREAKER,
        sandbox: { ...BREAKER, ...bounds.breaker },
      },
    },
    clock,
    hooks: {
      onTransition: (name, from, to) => events.push(`${name}: ${from} > ${to}`),
      onRejection: (name) => events.push(`${name}: refused`),
    },
  });
  const fail = async (times: number) => {
    for (let nth = 0; nth < times; nth += 1) {
      (await admission.enterRoute(provider, unaborted)).settle(FAILURE);
    }
  };
  return { admission, clock, events, fail };
}

const isOpen = expect.objectContaining({
  code: 'overloaded',
  details: expect.objectContaining({ reason: 'circuit_open' }),
});

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('createAdmission', () => {
  it('counts all operations at the global gate', async () => {
    const { admission } = admissionOf({ global: { max_concurrent: 1, max_queued: 0 } });
    const permit = await admission.enterOperation(unaborted, () => {});

    await expect(admission.enterOperation(unaborted, () => {})).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'queue_full', limit: 'runtime.global.max_queued' },
    });
    permit.release();
    await expect(admission.enterOperation(unaborted, () => {})).resolves.toBeDefined();
  });

  it('counts route attempts only at the gate of their provider', async () => {
    const { admission } = admissionOf({ own: { max_concurrent: 1, max_queued: 0 } });
    await admission.enterRoute(provider, unaborted);

    await expect(admission.enterRoute('agent-responses', unaborted)).resolves.toBeDefined();
    await expect(admission.enterRoute(provider, unaborted)).rejects.toMatchObject({
      code: 'overloaded',
      provider,
      details: { reason: 'queue_full', limit: 'runtime.providers.sandbox.max_queued' },
    });
  });

  it('reports how long an attempt waited in the queue of its provider', async () => {
    const { admission, clock } = admissionOf({ own: { max_concurrent: 1, max_queued: 1 } });
    const first = await admission.enterRoute(provider, unaborted);
    const waiting = admission.enterRoute(provider, unaborted);

    await clock.advance(250);
    first.settle();

    expect((await waiting).waitedMs).toBe(250);
  });

  it('removes an operation from the queue at its deadline, with a timeout', async () => {
    const { admission, clock } = admissionOf({ own: { max_concurrent: 1, max_queued: 1 } });
    await admission.enterRoute(provider, unaborted);
    const deadline = startDeadline(clock, 100, unaborted);

    const waiting = admission.enterRoute(provider, deadline.signal);
    const refused = expect(waiting).rejects.toMatchObject({ code: 'timeout', retryable: true });
    await clock.advance(100);

    await refused;
    expect(admission.snapshot().providers[provider]).toMatchObject({ active: 1, queued: 0 });
  });

  it('rejects at once if the breaker is open, without a place in the queue', async () => {
    const { admission, fail, events } = admissionOf({ own: { max_concurrent: 1, max_queued: 5 } });
    await fail(2);
    let hasSlot = false;

    const refused = admission.enterRoute(provider, unaborted, () => {
      hasSlot = true;
    });

    await expect(refused).rejects.toEqual(isOpen);
    expect(hasSlot).toBe(false);
    expect(events).toEqual(['sandbox: closed > open', 'sandbox: refused']);
  });

  it('rejects waiting operations if the breaker opens meanwhile, and releases their slots', async () => {
    const { admission } = admissionOf({
      own: { max_concurrent: 1, max_queued: 'unlimited' },
      breaker: { failure_threshold: 1 },
    });
    const first = await admission.enterRoute(provider, unaborted);
    const crowd = Array.from({ length: 5 }, () => admission.enterRoute(provider, unaborted));
    const fates = Promise.allSettled(crowd);

    first.settle(FAILURE);

    expect(await fates).toEqual(crowd.map(() => ({ status: 'rejected', reason: isOpen })));
    expect(admission.snapshot().providers[provider]).toMatchObject({ active: 0, queued: 0 });
  });

  it('admits one probe of a whole queue when the breaker is half open', async () => {
    const { admission, clock, fail } = admissionOf({});
    await fail(2);
    await clock.advance(OPEN_MS);

    const fates = await Promise.allSettled([
      admission.enterRoute(provider, unaborted),
      admission.enterRoute(provider, unaborted),
    ]);

    expect(fates.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(admission.snapshot().providers[provider]).toMatchObject({ active: 1 });
  });

  it('uses up no probe for an operation that aborts when it is admitted', async () => {
    const { admission, clock, fail } = admissionOf({ own: { max_concurrent: 1, max_queued: 5 } });
    await fail(2);
    await clock.advance(OPEN_MS);
    const client = new AbortController();

    const aborted = admission.enterRoute(provider, client.signal);
    client.abort(new Error('disconnected'));

    await expect(aborted).rejects.toThrow('disconnected');
    await expect(admission.enterRoute(provider, unaborted)).resolves.toBeDefined();
  });

  it('releases the slot and reports the outcome once', async () => {
    const { admission } = admissionOf({});
    const pass = await admission.enterRoute(provider, unaborted);
    await admission.enterRoute(provider, unaborted);

    pass.settle(FAILURE);
    pass.settle(FAILURE);

    expect(admission.snapshot().providers[provider]).toMatchObject({
      active: 1,
      breaker: { state: 'closed', failures: 1 },
    });
  });

  it('reports every provider of the settings from the start', () => {
    const { admission } = admissionOf({ own: { max_concurrent: 3, max_queued: 0 } });
    const idle = { active: 0, queued: 0 };
    const breaker = { state: 'closed', failures: 0, opens: 0 };

    expect(admission.snapshot()).toEqual({
      global: { ...idle, ...UNLIMITED },
      providers: {
        'agent-responses': { ...idle, ...UNLIMITED, breaker },
        'agent-app-server': { ...idle, ...UNLIMITED, breaker },
        sandbox: { ...idle, max_concurrent: 3, max_queued: 0, breaker },
      },
    });
  });

  it('applies the default settings to a provider without settings, even if its name is constructor', async () => {
    const { admission } = admissionOf({});

    await admission.enterRoute('constructor', unaborted);

    expect(admission.snapshot().providers['constructor']).toMatchObject({
      active: 1,
      ...UNLIMITED,
      breaker: { state: 'closed' },
    });
  });

  it('settles each operation once, keeps all limits and ends empty, for every schedule', async () => {
    const bound = (max: number) => fc.integer({ min: 1, max });
    const arrival = fc.record({
      afterMs: fc.nat(150),
      timeoutMs: fc.integer({ min: 1, max: 2500 }),
      disconnectsAfterMs: fc.option(fc.nat(300)),
      takesMs: fc.nat(200),
      fails: fc.boolean(),
    });

    await fc.assert(
      fc.asyncProperty(
        fc.record({ global: bound(5), own: bound(4), queued: fc.nat(6), probes: bound(2) }),
        fc.array(arrival, { minLength: 1, maxLength: 40, size: 'max' }),
        async (limits, arrivals) => {
          const schedule = createSchedule(limits);
          for (const it of arrivals) {
            await schedule.clock.advance(it.afterMs);
            schedule.arrive(it);
          }
          await schedule.clock.advance(10_000);
          await schedule.expectEmpty(arrivals.length);
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);
});

interface Arrival {
  readonly timeoutMs: number;
  readonly disconnectsAfterMs: number | null;
  readonly takesMs: number;
  readonly fails: boolean;
}

/** Operations that pass both gates to a provider, each with a deadline and possibly an early end. */
function createSchedule(limits: { global: number; own: number; queued: number; probes: number }) {
  const { admission, clock } = admissionOf({
    global: { max_concurrent: limits.global, max_queued: limits.queued },
    own: { max_concurrent: limits.own, max_queued: limits.queued },
    breaker: { half_open_max_calls: limits.probes },
  });
  const orders: Record<'global' | 'own', { asked: number[]; entered: number[] }> = {
    global: { asked: [], entered: [] },
    own: { asked: [], entered: [] },
  };
  let arrived = 0;
  let settledCount = 0;
  const inside = { global: 0, own: 0, probes: 0 };

  function enters(gate: 'global' | 'own', nth: number): void {
    inside[gate] += 1;
    orders[gate].entered.push(nth);
    expect(inside[gate]).toBeLessThanOrEqual(limits[gate]);
  }

  async function callProvider(pass: RoutePass, { takesMs, fails }: Arrival, signal: AbortSignal) {
    expect(signal.aborted).toBe(false);
    const isProbe = admission.snapshot().providers[provider]?.breaker.state === 'half_open';
    if (isProbe) inside.probes += 1;
    expect(inside.probes).toBeLessThanOrEqual(limits.probes);
    await new Promise<void>((resolve) => {
      clock.after(takesMs, resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    if (isProbe) inside.probes -= 1;
    inside.own -= 1;
    const cancelled = new BridgeError('cancelled', 'it was stopped', { provider });
    pass.settle(signal.aborted ? cancelled : fails ? FAILURE : undefined);
  }

  async function operate(nth: number, arrival: Arrival, signal: AbortSignal): Promise<void> {
    const permit = await admission.enterOperation(signal, () => orders.global.asked.push(nth));
    enters('global', nth);
    try {
      const pass = await admission.enterRoute(provider, signal, () => orders.own.asked.push(nth));
      enters('own', nth);
      await callProvider(pass, arrival, signal);
    } finally {
      inside.global -= 1;
      permit.release();
    }
  }

  return {
    clock,
    arrive(arrival: Arrival): void {
      const nth = arrived;
      arrived += 1;
      const client = new AbortController();
      const deadline = startDeadline(clock, arrival.timeoutMs, client.signal);
      if (arrival.disconnectsAfterMs !== null) {
        clock.after(arrival.disconnectsAfterMs, () => client.abort(new Error('disconnected')));
      }
      const settled = () => {
        settledCount += 1;
      };
      operate(nth, arrival, deadline.signal).then(settled, (error: unknown) => {
        settled();
        const isExpected = error instanceof BridgeError || client.signal.reason === error;
        if (!isExpected) throw error;
      });
    },
    async expectEmpty(expected: number): Promise<void> {
      await turn();
      expect(settledCount).toBe(expected);
      for (const { asked, entered } of Object.values(orders)) {
        expect(entered).toEqual(asked.filter((nth) => entered.includes(nth)));
      }
      const { global, providers } = admission.snapshot();
      expect(global).toMatchObject({ active: 0, queued: 0 });
      expect(providers[provider]).toMatchObject({ active: 0, queued: 0 });
      // The provider can be called again, whatever the state of the breaker was.
      await clock.advance(OPEN_MS);
      (await admission.enterRoute(provider, unaborted)).settle();
      expect(admission.snapshot().providers[provider]?.breaker.state).toBe('closed');
    },
  };
}
