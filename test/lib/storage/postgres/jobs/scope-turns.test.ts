import { describe, expect, it } from 'vitest';
import { takeTurns } from '../../../../../lib/storage/postgres/jobs/scope-turns.ts';

const waiting = (scope: string, queued: number, turn: number, joined = 0) => ({
  scope,
  queued,
  turn,
  joined,
});

describe('takeTurns', () => {
  it('lets scopes take turns, beginning with the lowest turn, whichever joined first', () => {
    const scopes = [waiting('a', 9, 7, 1), waiting('b', 9, 3, 3), waiting('c', 9, 5, 2)];

    expect(takeTurns(scopes, { jobs: 5, claims: 20 })).toEqual([
      { scope: 'a', jobs: 1, turn: 23 },
      { scope: 'b', jobs: 2, turn: 24 },
      { scope: 'c', jobs: 2, turn: 25 },
    ]);
  });

  it('begins with the scope that joined first if turns are equal', () => {
    const scopes = [waiting('a', 9, 0, 2), waiting('b', 9, 0, 1)];

    expect(takeTurns(scopes, { jobs: 1, claims: 4 })).toEqual([{ scope: 'b', jobs: 1, turn: 5 }]);
  });

  it('takes at most the queued jobs of each scope', () => {
    const scopes = [waiting('a', 1, 0), waiting('b', 2, 1), waiting('c', 0, 0)];

    expect(takeTurns(scopes, { jobs: 9, claims: 4 })).toEqual([
      { scope: 'a', jobs: 1, turn: 5 },
      { scope: 'b', jobs: 2, turn: 7 },
    ]);
  });
});
