import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { createArrivals } from '../../../../dashboard/src/gallery/state/gallery-state.ts';

describe('createArrivals', () => {
  it('holds new jobs back, and shows them when they are released', () => {
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

  it('holds new jobs back as soon as the newest jobs have been read while the gallery is scrolled down', () => {
    const ids = signal<readonly string[]>(['2', '1']);
    const hasNewest = signal(false);
    const arrivals = createArrivals(ids, hasNewest);
    arrivals.hold();

    ids.value = ['3', ...ids.value];
    hasNewest.value = true;
    ids.value = ['4', ...ids.value];

    expect(arrivals.shown.value).toEqual(['3', '2', '1']);
    arrivals.release();
    expect(arrivals.shown.value).toEqual(['4', '3', '2', '1']);
  });

  it('does not count held jobs that are no news', () => {
    const ids = signal<readonly string[]>(['1']);
    const arrivals = createArrivals(ids, signal(true), (id) => id !== '2');
    arrivals.hold();

    ids.value = ['3', '2', '1'];

    expect(arrivals.count.value).toBe(1);
    expect(arrivals.shown.value).toEqual(['1']);
  });

  it('holds back only jobs newer than the newest visible one', () => {
    const ids = signal<readonly string[]>(['5', '3', '1']);
    const arrivals = createArrivals(ids);
    arrivals.hold();
    ids.value = ['6', '4', '3', '0'];
    expect(arrivals.shown.value).toEqual(['4', '3', '0']);
    expect(arrivals.count.value).toBe(1);
  });
});
