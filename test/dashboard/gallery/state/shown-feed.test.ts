import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { createArrivals } from '../../../../dashboard/src/gallery/state/shown-feed.ts';

describe('createArrivals', () => {
  it('what is new waits while it is held back, and appears when it is released', () => {
    const ids = signal<readonly string[]>(['3', '2', '1']);
    const arrivals = createArrivals(ids);
    arrivals.hold();
    ids.value = ['5', '4', ...ids.value];
    expect(arrivals.shown.value).toEqual(['3', '2', '1']);
    expect(arrivals.count.value).toBe(2);

    arrivals.release();
    expect(arrivals.shown.value).toEqual(['5', '4', '3', '2', '1']);
    expect(arrivals.count.value).toBe(0);
  });

  it('only what is newer than the newest waits: the rest comes and goes', () => {
    const ids = signal<readonly string[]>(['5', '3', '1']);
    const arrivals = createArrivals(ids);
    arrivals.hold();
    ids.value = ['6', '4', '3', '0'];
    expect(arrivals.shown.value).toEqual(['4', '3', '0']);
    expect(arrivals.count.value).toBe(1);
  });
});
