import { describe, expect, it } from 'vitest';
import { createLingering } from '../../../lib/image-requests/lingering.ts';

const outcome = (scope: string, bytes: number) => ({ key: { scope }, bytes });

describe('createLingering', () => {
  it('holds outcomes up to its limit', () => {
    const lingering = createLingering(100);

    expect(lingering.add(outcome('a', 60))).toEqual([]);
    expect(lingering.add(outcome('b', 40))).toEqual([]);
  });

  it('evicts the largest outcome first, the oldest of equally large ones', () => {
    const lingering = createLingering(100);
    const [small, first, second] = [outcome('a', 20), outcome('a', 40), outcome('a', 40)];
    for (const held of [small, first, second]) lingering.add(held);

    expect(lingering.add(outcome('a', 30))).toEqual([first]);
  });

  it('evicts outcomes of the scope that holds the most', () => {
    const lingering = createLingering(100);
    const mine = outcome('mine', 30);
    lingering.add(mine);
    const theirs = Array.from({ length: 20 }, () => outcome('another', 25));

    const evicted = theirs.flatMap((each) => lingering.add(each));

    expect(evicted).toEqual(theirs.slice(0, 18));
  });

  it('evicts an outcome that is larger than all of its space', () => {
    const lingering = createLingering(100);
    const [small, large] = [outcome('a', 10), outcome('a', 200)];
    lingering.add(small);

    expect(lingering.add(large)).toEqual([large]);
  });

  it('counts no outcome that was deleted', () => {
    const lingering = createLingering(100);
    const held = outcome('a', 80);
    lingering.add(held);
    lingering.delete(held);

    expect(lingering.add(outcome('a', 90))).toEqual([]);
  });
});
