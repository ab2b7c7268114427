import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPace } from '../../../../dashboard/src/race/board/pace.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('createPace', () => {
  it('runs one action in each interval', () => {
    const pace = createPace(250);
    const ran: string[] = [];
    for (const key of ['a', 'b', 'c']) pace.request(key, () => ran.push(key));

    const counts = [0, 249, 1, 250].map((ms) => {
      vi.advanceTimersByTime(ms);
      return ran.length;
    });

    expect(counts).toEqual([1, 1, 2, 3]);
  });

  it('runs only the latest action of a key, in the place of the first', () => {
    const pace = createPace(250);
    const ran: string[] = [];
    pace.request('first', () => ran.push('first'));
    pace.request('a', () => ran.push('old'));
    pace.request('b', () => ran.push('b'));
    pace.request('a', () => ran.push('new'));

    vi.advanceTimersByTime(1000);

    expect(ran).toEqual(['first', 'new', 'b']);
  });

  it('runs no action that was withdrawn', () => {
    const pace = createPace(250);
    const run = vi.fn();
    pace.request('first', () => {});
    pace.request('a', run)();

    vi.advanceTimersByTime(1000);

    expect(run).not.toHaveBeenCalled();
  });
});
