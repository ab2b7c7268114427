import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSemaphore, type Semaphore } from '../../../lib/platform/semaphore.ts';

const never = new AbortController().signal;
const reason = new Error('the client disconnected');

describe('createSemaphore: acquire', () => {
  it('grants free slots at once', async () => {
    const semaphore = createSemaphore(2);

    const releases = await Promise.all([semaphore.acquire(never), semaphore.acquire(never)]);

    expect(releases).toHaveLength(2);
  });

  it('rejects if the signal has already aborted', async () => {
    await expect(createSemaphore(1).acquire(AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('rejects if the signal aborts in the queue, and grants the slot to the next request', async () => {
    const semaphore = createSemaphore(1);
    const client = new AbortController();
    const release = await semaphore.acquire(never);

    const aborted = semaphore.acquire(client.signal);
    const next = semaphore.acquire(never);
    client.abort(reason);
    release();

    await expect(aborted).rejects.toBe(reason);
    await expect(next).resolves.toBeTypeOf('function');
  });

  it('ignores a second release', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(never);
    release();
    release();

    await semaphore.acquire(never);
    const third = semaphore.acquire(never);

    await expect(isPending(third)).resolves.toBe(true);
  });

  it('grants a released slot to the queue, never to a new request', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(never);
    const queued = semaphore.acquire(never);

    release();
    const newcomer = semaphore.acquire(never);

    await expect(queued).resolves.toBeTypeOf('function');
    await expect(isPending(newcomer)).resolves.toBe(true);
  });

  it('keeps a granted slot until it is released, even after an abort', async () => {
    const semaphore = createSemaphore(1);
    const client = new AbortController();
    const release = await semaphore.acquire(never);
    const granted = semaphore.acquire(client.signal);

    release();
    client.abort(reason);
    const releaseGranted = await granted;
    const next = semaphore.acquire(never);
    const waited = await isPending(next);
    releaseGranted();

    expect(waited).toBe(true);
    await expect(next).resolves.toBeTypeOf('function');
  });

  it('counts the occupied slots and the waiting requests', async () => {
    const semaphore = createSemaphore(1);
    const client = new AbortController();

    const release = await semaphore.acquire(never);
    const aborted = semaphore.acquire(client.signal);
    const whileQueued = semaphore.counts();
    client.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    release();

    expect(whileQueued).toEqual({ active: 1, waiting: 1 });
    expect(semaphore.counts()).toEqual({ active: 0, waiting: 0 });
  });

  it('never exceeds its limit, grants in order and loses no slot in random sequences', async () => {
    const step = fc.record({
      kind: fc.constantFrom('acquire', 'acquire', 'release', 'abort'),
      nth: fc.nat(40),
    });

    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 40 }),
        async (limit, steps) => {
          const model = createModel(limit);
          for (const { kind, nth } of steps) {
            if (kind === 'acquire') model.acquire();
            else if (kind === 'release') model.release(nth);
            else model.abort(nth);
            await nextTurn();
            expect(model.active()).toEqual(model.expectedActive());
            expect(model.active().length).toBeLessThanOrEqual(limit);
          }
          await model.releaseAll();
          const all = await Promise.all(
            Array.from({ length: limit }, () => model.semaphore.acquire(never)),
          );
          expect(all).toHaveLength(limit);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('createSemaphore: run', () => {
  it('runs one piece of work per slot at a time, in the order of the calls', async () => {
    const semaphore = createSemaphore(2);
    const works = ['a', 'b', 'c', 'd'].map((name) => start(semaphore, name));

    await nextTurn();
    const atFirst = works.map((work) => work.isStarted);
    works[1]?.end();
    await nextTurn();
    const afterOne = works.map((work) => work.isStarted);
    for (const work of works) work.end();
    const results = await Promise.all(works.map((work) => work.result));

    expect(atFirst).toEqual([true, true, false, false]);
    expect(afterOne).toEqual([true, true, true, false]);
    expect(results).toEqual(['a', 'b', 'c', 'd']);
  });

  it('releases the slot of work that fails or throws', async () => {
    const semaphore = createSemaphore(1);
    const failure = new Error('broken');

    const rejected = semaphore.run(() => Promise.reject(failure), never);
    const thrown = semaphore.run(() => {
      throw failure;
    }, never);
    const after = semaphore.run(async () => 'after', never);

    await expect(rejected).rejects.toBe(failure);
    await expect(thrown).rejects.toBe(failure);
    await expect(after).resolves.toBe('after');
  });

  it('does not start work whose signal aborts in the queue', async () => {
    const semaphore = createSemaphore(1);
    const client = new AbortController();
    const first = start(semaphore, 'first');
    const second = start(semaphore, 'second', client.signal);
    const third = start(semaphore, 'third');

    client.abort(reason);
    await expect(second.result).rejects.toBe(reason);
    first.end();
    await nextTurn();

    expect(second.isStarted).toBe(false);
    expect(third.isStarted).toBe(true);
  });

  it('keeps the slot of aborted work until that work has settled', async () => {
    const semaphore = createSemaphore(1);
    const client = new AbortController();
    const first = start(semaphore, 'first', client.signal);
    const second = start(semaphore, 'second');
    await nextTurn();

    client.abort(reason);
    await expect(first.result).rejects.toBe(reason);
    const whileItRuns = second.isStarted;
    first.end();
    await nextTurn();

    expect(whileItRuns).toBe(false);
    expect(second.isStarted).toBe(true);
  });

  it('does not start work whose signal aborts as the slot is granted', async () => {
    const semaphore = createSemaphore(1);
    const client = new AbortController();
    const { signal } = client;
    const first = start(semaphore, 'first');
    const second = start(semaphore, 'second', signal);
    const third = start(semaphore, 'third');
    // The semaphore removes its listener when it grants the slot.
    const removeListener = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (type: string, listener: () => void) => {
      removeListener(type, listener);
      client.abort(reason);
    };

    first.end();
    await expect(second.result).rejects.toBe(reason);
    await nextTurn();

    expect(second.isStarted).toBe(false);
    expect(third.isStarted).toBe(true);
  });

  it('does not start work for an aborted signal', async () => {
    const work = start(createSemaphore(1), 'late', AbortSignal.abort(reason));

    await expect(work.result).rejects.toBe(reason);
    expect(work.isStarted).toBe(false);
  });
});

/** Creates work that ends when `end` is called. */
function start(semaphore: Semaphore, name: string, signal: AbortSignal = never) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = { isStarted: false, end: () => end(), result: Promise.resolve(name) };
  work.result = semaphore.run(async () => {
    work.isStarted = true;
    await ended;
    return name;
  }, signal);
  work.result.catch(() => {});
  return work;
}

/** A semaphore with numbered requests, and plain lists of the expected state. */
function createModel(limit: number) {
  const semaphore = createSemaphore(limit);
  const requests: { controller: AbortController; release?: () => void }[] = [];
  const active = new Set<number>();
  let expectedActive: number[] = [];
  let queue: number[] = [];

  function grant(): void {
    while (expectedActive.length < limit) {
      const next = queue.shift();
      if (next === undefined) return;
      expectedActive.push(next);
    }
  }
  function release(nth: number): void {
    const request = requests[nth];
    if (!request?.release || !active.delete(nth)) return;
    request.release();
    expectedActive = expectedActive.filter((it) => it !== nth);
    grant();
  }

  return {
    semaphore,
    acquire(): void {
      const nth = requests.length;
      const request: (typeof requests)[number] = { controller: new AbortController() };
      requests.push(request);
      queue.push(nth);
      grant();
      semaphore.acquire(request.controller.signal).then(
        (granted) => {
          request.release = granted;
          active.add(nth);
        },
        () => {},
      );
    },
    release,
    abort(nth: number): void {
      requests[nth]?.controller.abort(reason);
      queue = queue.filter((it) => it !== nth);
    },
    active: () => [...active].sort((a, b) => a - b),
    expectedActive: () => [...expectedActive].sort((a, b) => a - b),
    async releaseAll(): Promise<void> {
      for (let rounds = requests.length; rounds > 0; rounds -= 1) {
        for (const nth of [...active]) release(nth);
        await nextTurn();
      }
      expect(active.size).toBe(0);
    },
  };
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => false), nextTurn().then(() => true)]);
}
