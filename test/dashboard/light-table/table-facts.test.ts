import { describe, expect, it } from 'vitest';
import { unlikeMost } from '../../../dashboard/src/light-table/table-facts.ts';

const facts = (model: string, size: string) => [
  { name: 'Model', value: model },
  { name: 'Size', value: size },
];

describe('unlikeMost', () => {
  it('names the facts that fewer than half of the other images share', () => {
    const others = [facts('a', '1'), facts('a', '2'), facts('b', '3')];

    expect([...unlikeMost(facts('b', '4'), others)]).toEqual(['Model', 'Size']);
    expect([...unlikeMost(facts('a', '1'), others)]).toEqual(['Size']);
  });

  it('names nothing for an image without others', () => {
    expect(unlikeMost(facts('a', '1'), []).size).toBe(0);
  });
});
