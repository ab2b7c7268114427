import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createPlaces } from '../../../lib/platform/ordered-steps.ts';

describe('createPlaces', () => {
  it('lets work take its step only after all earlier work has left', async () => {
    const place = createPlaces();
    const [first, second, third] = [place(), place(), place()];
    const steps: string[] = [];
    const reached = Promise.all([
      third.reached().then(() => steps.push('third')),
      second.reached().then(() => {
        steps.push('second');
        second.leave();
      }),
    ]);

    await first.reached();
    steps.push('first');
    first.leave();
    await reached;

    expect(steps).toEqual(['first', 'second', 'third']);
  });

  it('keeps later work waiting for the first if the work between them leaves early', async () => {
    const place = createPlaces();
    const [first, second, third] = [place(), place(), place()];
    const steps: string[] = [];
    const reached = third.reached().then(() => steps.push('third'));

    second.leave();
    await setImmediate();
    steps.push('first');
    first.leave();
    await reached;

    expect(steps).toEqual(['first', 'third']);
  });
});
