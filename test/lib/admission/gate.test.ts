import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGate, type Permit } from '../../../lib/admission/gate.ts';
import { createManualClock } from '../../support/manual-clock.ts';

type Limit = number | 'unlimited';

const unaborted = new AbortController().signal;
const NAME = 'runtime.global.max_queued';

function gateOf(maxConcurrent: Limit, maxQueued: Limit = 'unlimited') {
  const clock = createManualClock();
  return { clock, gate: createGate({ name: NAME, maxConcurrent, maxQueued, clock }) };
}

/** The state of a promise after one turn of the event loop. */
async function fateOf(promise: Promise<unknown>): Promise<'waiting' | 'inside' | 'refused'> {
  return Promise.race([
    promise.then(
      () => 'inside' as const,
      () => 'refused' as const,
    ),
    turn().then(() => 'waiting' as const),
  ]);
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('createGate', () => {
  it('admits every operation at once if it is unlimited', async () => {
    const { gate } = gateOf('unlimited', 0);

    const permits = await Promise.all(Array.from({ length: 1000 }, () => gate.enter(unaborted)));

    expect(permits.every(({ waitedMs }) => waitedMs === 0)).toBe(true);
    expect(gate.counts()).toEqual({ active: 1000, queued: 0 });
  });

  it('reports its limits', () => {
    const { gate } = gateOf(2, 'unlimited');

    expect(gate.limits).toEqual({ max_concurrent: 2, max_queued: 'unlimited' });
  });

  it('reports how long an operation waited', async () => {
    const { gate, clock } = gateOf(1);
    const first = await gate.enter(unaborted);
    const waiting = gate.enter(unaborted);

    await clock.advance(1234);
    first.release();

    expect((await waiting).waitedMs).toBe(1234);
  });

  it('queues an operation with `waitsWhenFull` although the queue is full', async () => {
    const { gate } = gateOf(1, 1);
    const first = await gate.enter(unaborted);
    const second = gate.enter(unaborted);

    const third = gate.enter(unaborted, undefined, true);
    const fates = await Promise.all([fateOf(third), fateOf(gate.enter(unaborted))]);
    first.release();
    (await second).release();

    expect(fates).toEqual(['waiting', 'refused']);
    await expect(third).resolves.toHaveProperty('waitedMs');
    expect(gate.counts()).toEqual({ active: 1, queued: 0 });
  });

  it('does not count operations with `waitsWhenFull` for the limit of the queue', async () => {
    const { gate } = gateOf(1, 1);
    const first = await gate.enter(unaborted);
    const jobs = [gate.enter(unaborted, undefined, true), gate.enter(unaborted, undefined, true)];

    const request = gate.enter(unaborted);
    const fates = await Promise.all([fateOf(request), fateOf(gate.enter(unaborted))]);
    const queued = gate.counts().queued;
    first.release();
    for (const job of jobs) (await job).release();

    expect([...fates, queued]).toEqual(['waiting', 'refused', 3]);
    await expect(request).resolves.toHaveProperty('waitedMs');
    expect(await fateOf(gate.enter(unaborted))).toBe('waiting');
  });

  it('no longer counts a waiting operation whose client has disconnected', async () => {
    const { gate } = gateOf(1, 1);
    await gate.enter(unaborted);
    const stop = new AbortController();
    const gone = gate.enter(stop.signal);
    gate.enter(unaborted, undefined, true).catch(() => {});

    stop.abort();
    await expect(gone).rejects.toThrow();

    expect(await fateOf(gate.enter(unaborted))).toBe('waiting');
  });

  it('rejects at once without a queue', async () => {
    const { gate } = gateOf(1, 0);
    await gate.enter(unaborted);

    const refused = gate.enter(unaborted);

    await expect(refused).rejects.toMatchObject({
      code: 'overloaded',
      retryable: true,
      provider: undefined,
      details: { reason: 'queue_full', limit: NAME, retry_after_ms: expect.any(Number) },
    });
  });

  it('throws from `check` if `enter` would, without taking a slot', async () => {
    const { gate } = gateOf(1, 0);

    gate.check();
    const permit = await gate.enter(unaborted);

    expect(() => gate.check()).toThrow(expect.objectContaining({ code: 'overloaded' }));
    expect(gate.counts()).toEqual({ active: 1, queued: 0 });
    permit.release();
    expect(() => gate.check()).not.toThrow();
  });

  it('names its provider in the error', async () => {
    const clock = createManualClock();
    const bounds = { name: 'it', maxConcurrent: 1, maxQueued: 0 } as const;
    const gate = createGate({ ...bounds, provider: 'sandbox', clock });
    await gate.enter(unaborted);

    await expect(gate.enter(unaborted)).rejects.toMatchObject({ provider: 'sandbox' });
  });

  it('queues another operation as soon as one is removed from the queue', async () => {
    const { gate } = gateOf(1, 1);
    const client = new AbortController();
    await gate.enter(unaborted);
    const aborted = gate.enter(client.signal);

    client.abort(new Error('disconnected'));
    const next = gate.enter(unaborted);

    await expect(aborted).rejects.toThrow('disconnected');
    expect(await fateOf(next)).toBe('waiting');
    expect(gate.counts()).toEqual({ active: 1, queued: 1 });
  });

  it('rejects an operation whose signal has already aborted with the reason, and takes no slot', async () => {
    const { gate } = gateOf(1);
    const reason = new Error('disconnected');

    await expect(gate.enter(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(gate.counts()).toEqual({ active: 0, queued: 0 });
  });

  it.each([
    ['inside', 0, 1],
    ['in the queue', 1, 1],
    ['nowhere', 2, 0],
  ])('calls `onQueued` at once for a slot %s', async (_where, before, times) => {
    const { gate } = gateOf(1, 1);
    for (let nth = 0; nth < before; nth += 1) void gate.enter(unaborted);
    let notified = 0;

    const entering = gate.enter(unaborted, () => {
      notified += 1;
    });

    expect(notified).toBe(times);
    await fateOf(entering);
  });

  it('passes on a slot once if it is released twice', async () => {
    const { gate } = gateOf(1);
    const first = await gate.enter(unaborted);
    const second = gate.enter(unaborted);
    const third = gate.enter(unaborted);

    first.release();
    first.release();

    expect(await fateOf(second)).toBe('inside');
    expect(await fateOf(third)).toBe('waiting');
  });

  it('passes a released slot to the queue, not to an operation that arrives in the same turn', async () => {
    const { gate } = gateOf(1);
    const first = await gate.enter(unaborted);
    const waiting = gate.enter(unaborted);

    first.release();
    const newcomer = gate.enter(unaborted);

    expect(await fateOf(waiting)).toBe('inside');
    expect(await fateOf(newcomer)).toBe('waiting');
  });

  it('keeps the slot of an admitted operation that aborts until the slot is released', async () => {
    const { gate } = gateOf(1);
    const client = new AbortController();
    const first = await gate.enter(unaborted);
    const called = gate.enter(client.signal);

    first.release();
    client.abort(new Error('disconnected'));

    expect(gate.counts()).toEqual({ active: 1, queued: 0 });
    (await called).release();
    expect(gate.counts()).toEqual({ active: 0, queued: 0 });
  });

  it('drains a queue of ten thousand operations in order, half of which abort', async () => {
    const { gate } = gateOf(1);
    const first = await gate.enter(unaborted);
    const served: number[] = [];
    const crowd = Array.from({ length: 10_000 }, () => new AbortController());
    const all = crowd.map(({ signal }, nth) =>
      gate.enter(signal).then(
        (permit) => {
          served.push(nth);
          permit.release();
        },
        () => {},
      ),
    );

    for (const [nth, controller] of crowd.entries()) if (nth % 2 === 0) controller.abort();
    expect(gate.counts()).toEqual({ active: 1, queued: 5000 });
    first.release();
    await Promise.all(all);

    expect(served).toEqual(Array.from({ length: 5000 }, (_, nth) => 2 * nth + 1));
    expect(gate.counts()).toEqual({ active: 0, queued: 0 });
  });

  it('never exceeds its limits, loses a slot or reorders operations, for every schedule', async () => {
    const step = fc.record({
      kind: fc.constantFrom('enter', 'enter', 'release', 'abort', 'wait'),
      nth: fc.nat(40),
    });
    const queue = fc.oneof(fc.nat(5), fc.constant('unlimited' as const));

    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        queue,
        fc.array(step, { maxLength: 60, size: 'max' }),
        async (maxConcurrent, maxQueued, steps) => {
          const crowd = createCrowd(maxConcurrent, maxQueued);
          for (const { kind, nth } of steps) {
            if (kind === 'enter') crowd.enter();
            else if (kind === 'release') crowd.release(nth);
            else if (kind === 'abort') crowd.abort(nth);
            else await crowd.clock.advance(nth);
            await turn();
            crowd.expectAgreement();
          }
          await crowd.releaseAll();
        },
      ),
      { numRuns: 80 },
    );
  });
});

type Fate = 'waiting' | 'inside' | 'full' | 'left' | 'done';

/** Callers of a gate, and a simple model of the expected state of each. */
function createCrowd(maxConcurrent: number, maxQueued: Limit) {
  const { gate, clock } = gateOf(maxConcurrent, maxQueued);
  const people: {
    controller: AbortController;
    permit?: Permit;
    fate: Fate;
    settledCount: number;
  }[] = [];
  const model: Fate[] = [];
  const joinedMs: number[] = [];
  const enteredMs: number[] = [];

  const countOf = (fate: Fate) => model.filter((it) => it === fate).length;
  function callNext(): void {
    const next = model.indexOf('waiting');
    if (next < 0 || countOf('inside') >= maxConcurrent) return;
    model[next] = 'inside';
    enteredMs[next] = clock.monotonicMs();
  }
  function release(nth: number): void {
    const person = people[nth];
    if (person?.fate !== 'inside') return;
    person.fate = 'done';
    model[nth] = 'done';
    callNext();
    person.permit?.release();
  }

  return {
    clock,
    enter(): void {
      const person: (typeof people)[number] = {
        controller: new AbortController(),
        fate: 'waiting',
        settledCount: 0,
      };
      people.push(person);
      joinedMs.push(clock.monotonicMs());
      const hasRoom = countOf('inside') < maxConcurrent;
      const isFull = !hasRoom && maxQueued !== 'unlimited' && countOf('waiting') >= maxQueued;
      model.push(isFull ? 'full' : 'waiting');
      callNext();
      gate.enter(person.controller.signal).then(
        (permit) => {
          person.permit = permit;
          person.fate = 'inside';
          person.settledCount += 1;
        },
        (error: { code?: string }) => {
          person.fate = error.code === 'overloaded' ? 'full' : 'left';
          person.settledCount += 1;
        },
      );
    },
    release,
    abort(nth: number): void {
      people[nth]?.controller.abort(new Error('disconnected'));
      if (model[nth] === 'waiting') model[nth] = 'left';
    },
    expectAgreement(): void {
      expect(people.map(({ fate }) => fate)).toEqual(model);
      expect(
        people.every(({ fate, settledCount }) => settledCount === (fate === 'waiting' ? 0 : 1)),
      ).toBe(true);
      expect(gate.counts()).toEqual({ active: countOf('inside'), queued: countOf('waiting') });
      expect(gate.counts().active).toBeLessThanOrEqual(maxConcurrent);
      for (const [nth, { permit }] of people.entries()) {
        if (permit) expect(permit.waitedMs).toBe((enteredMs[nth] ?? 0) - (joinedMs[nth] ?? 0));
      }
    },
    async releaseAll(): Promise<void> {
      for (let rounds = people.length; rounds > 0; rounds -= 1) {
        for (const nth of people.keys()) release(nth);
        await turn();
      }
      expect(people.filter(({ fate }) => fate === 'waiting' || fate === 'inside')).toEqual([]);
      expect(gate.counts()).toEqual({ active: 0, queued: 0 });
    },
  };
}
