import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../../lib/platform/clock.ts';
import { type Connection, IN_MEMORY } from '../../../../lib/storage/sqlite/connection.ts';
import { createGroupCommit } from '../../../../lib/storage/sqlite/group-commit.ts';
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts';

const SLOW_MS = 40;
const LARGEST_GROUP = 128;

let connection: Connection;
let clock: ManualClock;
/** The time that writes and commits have taken. */
let workedMs: number;
/** The duration of each commit. */
let syncMs: number;
/** Writes and commits, in their order. */
let history: string[];

beforeEach(() => {
  clock = createManualClock();
  workedMs = 0;
  syncMs = 0;
  history = [];
  connection = new Sqlite(IN_MEMORY, {
    verbose(sql) {
      if (sql !== 'COMMIT') return;
      history.push('commit');
      workedMs += syncMs;
    },
  });
});
afterEach(() => connection.close());

const timed = (): Clock => ({ ...clock, monotonicMs: () => clock.monotonicMs() + workedMs });

function open(commits = createGroupCommit(connection, timed())) {
  return {
    ...commits,
    write: (name: string) => void commits.write(() => history.push(name)),

    /** Commits this many writes together, with a commit that takes `durationMs`, and clears the history. */
    async commit(writes: number, durationMs: number, writeMs = 0): Promise<void> {
      syncMs = durationMs;
      const work = () => {
        workedMs += writeMs;
      };
      await Promise.all(Array.from({ length: writes }, () => commits.write(work)));
      syncMs = 0;
      history = [];
    },
  };
}

describe('createGroupCommit', () => {
  test('writes within a millisecond of each other share a commit after a slow commit', async () => {
    const { commit, write } = open();
    await commit(2, SLOW_MS);

    write('one');
    await clock.advance(0.75);
    write('two');
    await clock.advance(0.75);
    const before = [...history];
    await clock.advance(0.25);

    expect(before).toEqual([]);
    expect(history).toEqual(['one', 'two', 'commit']);
    expect(clock.waiting).toBe(0);
  });

  test('a wait for further writes ends after a quarter of the duration of the last commit', async () => {
    const { commit, write } = open();
    await commit(2, SLOW_MS);

    let waitedMs = 0;
    for (; history.length === 0 && waitedMs < SLOW_MS; waitedMs += 0.75) {
      write(`after ${waitedMs} ms`);
      await clock.advance(0.75);
    }

    expect(history.slice(-2)).toEqual(['after 9.75 ms', 'commit']);
    expect(history).toHaveLength(15);
  });

  test.each([
    ['after a fast commit', 2, 3, 0, true],
    ['after slow writes with a fast commit', 2, 3, SLOW_MS, true],
    ['after a slow commit of one write', 1, SLOW_MS, 0, true],
    ['without a clock', 2, SLOW_MS, 0, false],
  ])(
    '%s, a write does not wait for further writes',
    async (_case, writes, durationMs, writeMs, hasClock) => {
      const { commit, write } = open(createGroupCommit(connection, hasClock ? timed() : undefined));
      await commit(writes, durationMs, writeMs);

      write('one');
      await clock.advance(0);

      expect(history).toEqual(['one', 'commit']);
    },
  );

  test('a full group does not wait for further writes', async () => {
    const { commit, write } = open();
    await commit(2, SLOW_MS);

    for (let nth = 1; nth <= LARGEST_GROUP; nth += 1) write('write');
    await clock.advance(0);

    expect(history.indexOf('commit')).toBe(LARGEST_GROUP);
  });

  test('flushAll commits gathered writes at once', async () => {
    const { commit, write, flushAll } = open();
    await commit(2, SLOW_MS);
    write('one');

    flushAll();

    expect(history).toEqual(['one', 'commit']);
    expect(clock.waiting).toBe(0);
  });
});
