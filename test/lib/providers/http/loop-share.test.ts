import { describe, expect, it } from 'vitest';
import { createLoopShare } from '../../../../lib/providers/http/loop-share.ts';

/** Time that passes only while work is done. */
function shareOf() {
  let nowMs = 0;
  const order: string[] = [];
  const share = createLoopShare({ monotonicMs: () => nowMs });
  return {
    order,
    /** Work that takes so long. */
    run: (name: string, takesMs: number) =>
      share.run(() => {
        order.push(name);
        nowMs += takesMs;
      }),
    fail: (error: Error) =>
      share.run(() => {
        throw error;
      }),
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('createLoopShare', () => {
  it('does work at once as long as it takes little', async () => {
    const { run, order } = shareOf();

    const done = [run('a', 0.4), run('b', 0.4), run('c', 0)];

    expect(order).toEqual(['a', 'b', 'c']);
    await Promise.all(done);
  });

  it('leaves what is too much for one turn to the next turns, in order', async () => {
    const { run, order } = shareOf();

    const done = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => run(name, 0.6));

    expect(order).toEqual(['a', 'b']);
    await nextTurn();
    expect(order).toEqual(['a', 'b', 'c', 'd']);
    await nextTurn();
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await Promise.all(done);
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  it('lets nobody overtake those who wait', async () => {
    const { run, order } = shareOf();
    const first = [run('a', 100), run('b', 1)];
    await nextTurn();
    const second = [run('c', 100), run('d', 0), run('e', 0)];

    await Promise.all([...first, ...second]);

    expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('begins each turn anew', async () => {
    const { run, order } = shareOf();
    await run('a', 100);
    await nextTurn();

    const done = run('b', 1);

    expect(order).toEqual(['a', 'b']);
    await done;
  });

  it('rejects with what the work throws, at once or later, and goes on', async () => {
    const { run, fail, order } = shareOf();
    const error = new Error('broken');

    await expect(fail(error)).rejects.toBe(error);
    const busy = run('a', 100);
    const later = fail(error);
    const last = run('b', 1);

    await expect(later).rejects.toBe(error);
    await Promise.all([busy, last]);
    expect(order).toEqual(['a', 'b']);
  });
});
