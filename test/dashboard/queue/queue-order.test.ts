import { describe, expect, it } from 'vitest';
import {
  countChanges,
  moveIds,
  prioritiesFor,
} from '../../../dashboard/src/queue/drawer/queue-order.ts';

const queued = (order: string, priority = 0) => [...order].map((id) => ({ id, priority }));

/** Returns the order in which jobs start: by priority, then by acceptance. */
function startsOf(wanted: readonly { readonly id: string; readonly priority: number }[]) {
  const changed = prioritiesFor(wanted) ?? new Map<string, number>();
  const priorityOf = (one: (typeof wanted)[number]) => changed.get(one.id) ?? one.priority;
  return wanted
    .toSorted((a, b) => priorityOf(b) - priorityOf(a) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
    .join('');
}

describe('prioritiesFor', () => {
  it.each(['abcd', 'bacd', 'dabc', 'acbd', 'dcba', 'bdac'])(
    'gives queued jobs the order %s',
    (order) => {
      expect(startsOf(queued(order))).toBe(order);
    },
  );

  it('changes as few jobs as possible', () => {
    expect(prioritiesFor(queued('abcd'))).toEqual(new Map());
    expect(prioritiesFor(queued('dabc'))).toEqual(new Map([['d', 1]]));
    expect(prioritiesFor(queued('bcda'))).toEqual(new Map([['a', -1]]));
  });

  it('keeps the order among jobs of different priorities', () => {
    const wanted = [...queued('d', 5), ...queued('ba', 2), ...queued('c', -3)];

    expect(startsOf(wanted)).toBe('dbac');
  });

  it('finds no priorities if there is no room', () => {
    expect(prioritiesFor([...queued('b', 100), ...queued('a', 100)])).toEqual(new Map([['a', 99]]));
    const full = [...queued('b', 100), ...queued('a', 100), ...queued('dc', -100)];

    expect(prioritiesFor(full)).toBeUndefined();
  });
});

describe('moveIds', () => {
  it.each([
    ['up', 'bd', 'badc'],
    ['down', 'bd', 'acbd'],
    ['first', 'cd', 'cdab'],
    ['up', 'ab', 'abcd'],
    ['down', 'a', 'bacd'],
  ] as const)('moves %s: %s', (where, chosen, expected) => {
    expect(moveIds([...'abcd'], new Set(chosen), where).join('')).toBe(expected);
  });
});

describe('countChanges', () => {
  it.each([
    ['abc', 'abc', 0],
    ['abc', 'bc', 1],
    ['abc', 'abcd', 1],
    ['abc', 'bac', 2],
    ['abc', 'cd', 3],
  ])('counts the changes from %s to %s', (before, after, count) => {
    expect(countChanges([...before], [...after])).toBe(count);
  });
});
