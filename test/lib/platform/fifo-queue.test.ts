import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFifoQueue } from '../../../lib/platform/fifo-queue.ts';

describe('createFifoQueue', () => {
  it('returns undefined when the queue is empty', () => {
    expect(createFifoQueue().dequeue()).toBeUndefined();
  });

  it('returns the oldest remaining item for any order of removals', () => {
    type Step =
      | { readonly kind: 'enqueue' }
      | { readonly kind: 'dequeue' }
      | { readonly kind: 'remove'; readonly nth: number };
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.constant({ kind: 'enqueue' } as const),
      fc.constant({ kind: 'dequeue' } as const),
      fc.record({ kind: fc.constant('remove' as const), nth: fc.nat(30) }),
    );

    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = createFifoQueue<number>();
        const removals: (() => void)[] = [];
        let model: number[] = [];
        for (const it of steps) {
          if (it.kind === 'enqueue') {
            model.push(removals.length);
            removals.push(queue.enqueue(removals.length));
          } else if (it.kind === 'dequeue') {
            expect(queue.dequeue()).toBe(model.shift());
          } else {
            // Removing an item a second time, or after it was returned, has no effect.
            removals[it.nth]?.();
            model = model.filter((item) => item !== it.nth);
          }
          expect(queue.size()).toBe(model.length);
        }
        for (const item of model) expect(queue.dequeue()).toBe(item);
        expect(queue.dequeue()).toBeUndefined();
      }),
    );
  });
});
