import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFifoQueue } from '../../../lib/platform/fifo-queue.ts';

describe('createWaitingLine', () => {
  it('has nobody to call when it is empty', () => {
    expect(createFifoQueue().next()).toBeUndefined();
  });

  it('calls whoever waits longest, whoever has left from wherever', () => {
    type Step =
      | { readonly kind: 'join' }
      | { readonly kind: 'next' }
      | { readonly kind: 'leave'; readonly nth: number };
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.constant({ kind: 'join' } as const),
      fc.constant({ kind: 'next' } as const),
      fc.record({ kind: fc.constant('leave' as const), nth: fc.nat(30) }),
    );

    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const line = createFifoQueue<number>();
        const leaves: (() => void)[] = [];
        let model: number[] = [];
        for (const it of steps) {
          if (it.kind === 'join') {
            model.push(leaves.length);
            leaves.push(line.join(leaves.length));
          } else if (it.kind === 'next') {
            expect(line.next()).toBe(model.shift());
          } else {
            // Whoever was called or has left may say so again: nothing happens.
            leaves[it.nth]?.();
            model = model.filter((waiting) => waiting !== it.nth);
          }
        }
        for (const waiting of model) expect(line.next()).toBe(waiting);
        expect(line.next()).toBeUndefined();
      }),
    );
  });
});
