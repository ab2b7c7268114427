import { describe, expect, test } from 'vitest';
import {
  createSearchScheduler,
  type Steps,
} from '../../../../../lib/storage/sqlite/search/search-scheduler.ts';

/** Every look at the clock takes a slice's whole time, so that each step is a turn of its own. */
function slowClock() {
  let nowMs = 0;
  return {
    monotonicMs() {
      nowMs += 100;
      return nowMs;
    },
  };
}

describe('createTurns', () => {
  test('searches go on by turns, and background work after each of them', async () => {
    const turns = createSearchScheduler(slowClock());
    const events: string[] = [];
    function* steps(name: string, count: number): Steps<string> {
      for (let step = 1; step <= count; step += 1) {
        events.push(`${name}${step}`);
        yield;
      }
      return name;
    }
    const ended = (name: string, count: number) =>
      new Promise<string>((resolve, reject) => {
        turns.search(steps(name, count), resolve, reject);
      });
    function* background(): Steps<void> {
      yield* steps('index', 3);
    }

    turns.background(background(), () => {});
    const names = await Promise.all([ended('a', 2), ended('b', 2)]);

    expect(names).toEqual(['a', 'b']);
    expect(events).toEqual(['a1', 'index1', 'b1', 'index2', 'a2', 'index3', 'b2']);
  });

  test('a search that was taken back takes no further step', async () => {
    const turns = createSearchScheduler(slowClock());
    let steps = 0;
    function* endless(): Steps<void> {
      for (;;) {
        steps += 1;
        yield;
      }
    }
    function* short(): Steps<string> {
      yield;
      return 'done';
    }
    const stop = turns.search(
      endless(),
      () => {},
      () => {},
    );

    await new Promise((resolve, reject) => turns.search(short(), resolve, reject));
    stop();
    const before = steps;
    await new Promise((resolve, reject) => turns.search(short(), resolve, reject));

    expect(before).toBeGreaterThan(0);
    expect(steps).toBe(before);
  });

  test('what a search throws ends it alone', async () => {
    const turns = createSearchScheduler(slowClock());
    // biome-ignore lint/correctness/useYield: it fails before its first pause.
    function* failing(): Steps<void> {
      throw new Error('no such page');
    }
    function* sound(): Steps<string> {
      yield;
      return 'done';
    }

    const failure = new Promise((resolve) => turns.search(failing(), () => {}, resolve));
    const result = new Promise((resolve, reject) => turns.search(sound(), resolve, reject));

    await expect(failure).resolves.toEqual(new Error('no such page'));
    await expect(result).resolves.toBe('done');
  });
});
