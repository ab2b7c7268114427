import { describe, expect, it } from 'vitest';
import { createGate } from '../../../lib/admission/gate.ts';
import type { Permits } from '../../../lib/admission/permits-port.ts';
import { createSharedSlots } from '../../../lib/admission/shared-slots.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createSemaphore, type Semaphore } from '../../../lib/platform/semaphore.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const unaborted = new AbortController().signal;
const NAME = 'runtime.global.max_queued';

/** Creates the permits of several replicas that run in this process. */
function createPermits(): Permits & { readonly gates: ReadonlyMap<string, Semaphore> } {
  const gates = new Map<string, Semaphore>();
  const slotsOf = (gate: string, limit: number) => {
    const slots = gates.get(gate) ?? createSemaphore(limit);
    gates.set(gate, slots);
    return slots;
  };
  return {
    gates,
    async take(gate, limit) {
      const slots = slotsOf(gate, limit);
      return slots.counts().active < limit ? slots.acquire(unaborted) : undefined;
    },
    acquire: (gate, limit, signal) => slotsOf(gate, limit).acquire(signal),
  };
}

const AWAY = new BridgeError('overloaded', 'the state database is unavailable');

/** Creates permits that can be awaited, but whose store is unavailable now. */
function unavailablePermits(): Permits {
  return { ...createPermits(), take: () => Promise.reject(AWAY) };
}

describe('createSharedSlots', () => {
  it('limits the slots of all replicas together', async () => {
    const permits = createPermits();
    const [one, other] = [1, 2].map(() => createSharedSlots({ gate: 'g', limit: 2, permits }));
    const releases = [await one?.acquire(unaborted), await other?.acquire(unaborted)];
    let isFull = false;
    const third = one?.acquire(unaborted, () => {
      isFull = true;
    });
    await createManualClock().advance(0);

    expect(isFull).toBe(true);
    expect(permits.gates.get('g')?.counts()).toEqual({ active: 2, waiting: 1 });
    releases[1]?.();
    (await third)?.();
    expect(permits.gates.get('g')?.counts()).toEqual({ active: 1, waiting: 0 });
  });

  it('takes no permit for an unlimited gate', async () => {
    const permits = createPermits();
    const slots = createSharedSlots({ gate: 'g', limit: Number.POSITIVE_INFINITY, permits });

    await slots.acquire(unaborted);

    expect(permits.gates.size).toBe(0);
  });

  it('releases its local slot if the wait for a permit ends with an error', async () => {
    const permits = createPermits();
    await permits.take('g', 1);
    const slots = createSharedSlots({ gate: 'g', limit: 1, permits });
    const client = new AbortController();
    const waiting = slots.acquire(client.signal);
    client.abort(new Error('gone'));

    await expect(waiting).rejects.toThrow('gone');
    expect(slots.counts()).toEqual({ active: 0, waiting: 0 });
  });

  it('waits for a permit while the store is unavailable', async () => {
    const slots = createSharedSlots({ gate: 'g', limit: 1, permits: unavailablePermits() });

    await expect(slots.acquire(unaborted)).resolves.toBeTypeOf('function');
  });

  it('rejects a request that does not wait for the store, and releases its local slot', async () => {
    const slots = createSharedSlots({ gate: 'g', limit: 1, permits: unavailablePermits() });
    const acquired = slots.acquire(unaborted, (unavailable) => {
      if (unavailable) throw unavailable;
    });

    await expect(acquired).rejects.toBe(AWAY);
    expect(slots.counts()).toEqual({ active: 0, waiting: 0 });
  });
});

describe('createGate, with permits', () => {
  function gatesOf(maxQueued: number) {
    const permits = createPermits();
    const deps = { name: NAME, maxConcurrent: 1, maxQueued, permits, clock: createManualClock() };
    return [createGate(deps), createGate(deps)] as const;
  }

  it('reports that an operation waits for an operation of another replica', async () => {
    const [one, other] = gatesOf(1);
    const first = await one.enter(unaborted);
    const reports: boolean[] = [];
    const second = other.enter(unaborted, (waits) => reports.push(waits));
    await createManualClock().advance(0);
    first.release();

    await second;
    expect(reports).toEqual([false, true]);
  });

  it('rejects an operation while the store of the permits is unavailable', async () => {
    const permits = unavailablePermits();
    const clock = createManualClock();
    const gate = createGate({ name: NAME, maxConcurrent: 1, maxQueued: 1, permits, clock });

    await expect(gate.enter(unaborted)).rejects.toBe(AWAY);
    await expect(gate.enter(unaborted, undefined, true)).resolves.toHaveProperty('release');
  });

  it('rejects an operation that would wait for another replica if no operation may wait', async () => {
    const [one, other] = gatesOf(0);
    await one.enter(unaborted);

    await expect(other.enter(unaborted)).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'queue_full', limit: NAME },
    });
    expect(other.counts()).toEqual({ active: 0, queued: 0 });
  });
});
