import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../../lib/platform/semaphore.ts';

const patient = new AbortController().signal;

describe('createSlots', () => {
  it('gives a place at once while there is one', async () => {
    const slots = createSemaphore(2);

    const places = await Promise.all([slots.acquire(patient), slots.acquire(patient)]);

    expect(places).toHaveLength(2);
  });

  it('rejects whoever has left before asking', async () => {
    const reason = new Error('gone');

    await expect(createSemaphore(1).acquire(AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('rejects whoever leaves the line, and passes the place on to the next', async () => {
    const slots = createSemaphore(1);
    const leaving = new AbortController();
    const reason = new Error('gone');
    const giveBack = await slots.acquire(patient);

    const left = slots.acquire(leaving.signal);
    const next = slots.acquire(patient);
    leaving.abort(reason);
    giveBack();

    await expect(left).rejects.toBe(reason);
    await expect(next).resolves.toBeTypeOf('function');
  });

  it('gives a place that was given back twice to one only', async () => {
    const slots = createSemaphore(1);
    const giveBack = await slots.acquire(patient);
    giveBack();
    giveBack();

    await slots.acquire(patient);
    const third = slots.acquire(patient);

    await expect(isPending(third)).resolves.toBe(true);
  });

  it('lets nobody overtake: a place that is given back goes to the line, not to whoever comes now', async () => {
    const slots = createSemaphore(1);
    const giveBack = await slots.acquire(patient);
    const waiting = slots.acquire(patient);

    giveBack();
    const newcomer = slots.acquire(patient);

    await expect(waiting).resolves.toBeTypeOf('function');
    await expect(isPending(newcomer)).resolves.toBe(true);
  });

  it('keeps a place for whoever was called before leaving', async () => {
    const slots = createSemaphore(1);
    const leaving = new AbortController();
    const giveBack = await slots.acquire(patient);
    const called = slots.acquire(leaving.signal);

    giveBack();
    leaving.abort(new Error('gone'));
    const giveBackCalled = await called;
    const next = slots.acquire(patient);
    const waited = await isPending(next);
    giveBackCalled();

    expect(waited).toBe(true);
    await expect(next).resolves.toBeTypeOf('function');
  });

  it('never exceeds its limit, serves in order and leaks no place, whatever happens when', async () => {
    const step = fc.record({
      kind: fc.constantFrom('take', 'take', 'giveBack', 'leave'),
      nth: fc.nat(40),
    });

    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 40 }),
        async (limit, steps) => {
          const crowd = createCrowd(limit);
          for (const { kind, nth } of steps) {
            if (kind === 'take') crowd.take();
            else if (kind === 'giveBack') crowd.giveBack(nth);
            else crowd.leave(nth);
            await turn();
            expect(crowd.inside()).toEqual(crowd.expectedInside());
            expect(crowd.inside().length).toBeLessThanOrEqual(limit);
          }
          await crowd.everybodyOut();
          const all = await Promise.all(
            Array.from({ length: limit }, () => crowd.slots.acquire(patient)),
          );
          expect(all).toHaveLength(limit);
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** People at the door of some slots, beside a plain list of who should be where. */
function createCrowd(limit: number) {
  const slots = createSemaphore(limit);
  const people: { controller: AbortController; giveBack?: () => void }[] = [];
  const inside = new Set<number>();
  let expectedInside: number[] = [];
  let line: number[] = [];

  function fill(): void {
    while (expectedInside.length < limit) {
      const next = line.shift();
      if (next === undefined) return;
      expectedInside.push(next);
    }
  }
  function giveBack(nth: number): void {
    const person = people[nth];
    if (!person?.giveBack || !inside.delete(nth)) return;
    person.giveBack();
    expectedInside = expectedInside.filter((it) => it !== nth);
    fill();
  }

  return {
    slots,
    take(): void {
      const nth = people.length;
      const person: (typeof people)[number] = { controller: new AbortController() };
      people.push(person);
      line.push(nth);
      fill();
      slots.acquire(person.controller.signal).then(
        (back) => {
          person.giveBack = back;
          inside.add(nth);
        },
        () => {},
      );
    },
    giveBack,
    leave(nth: number): void {
      people[nth]?.controller.abort(new Error('gone'));
      line = line.filter((it) => it !== nth);
    },
    inside: () => [...inside].sort((a, b) => a - b),
    expectedInside: () => [...expectedInside].sort((a, b) => a - b),
    async everybodyOut(): Promise<void> {
      for (let rounds = people.length; rounds > 0; rounds -= 1) {
        for (const nth of [...inside]) giveBack(nth);
        await turn();
      }
      expect(inside.size).toBe(0);
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => false), turn().then(() => true)]);
}
