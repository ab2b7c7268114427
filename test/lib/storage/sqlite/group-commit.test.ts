import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../../lib/platform/clock.ts';
import { type Connection, IN_MEMORY } from '../../../../lib/storage/sqlite/connection.ts';
import { createGroupCommit } from '../../../../lib/storage/sqlite/group-commit.ts';
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts';

const SLOW_MS = 40;
const LARGEST_GROUP = 128;
const GATHERING_SHARE = 0.5;

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
  test('after a slow commit, a commit waits until as many writes are waiting', async () => {
    const { commit, write } = open();
    await commit(3, SLOW_MS);

    write('one');
    write('two');
    await clock.advance(SLOW_MS * GATHERING_SHARE - 1);
    const before = [...history];
    write('three');
    await clock.advance(0);

    expect(before).toEqual([]);
    expect(history).toEqual(['one', 'two', 'three', 'commit']);
    expect(clock.waiting).toBe(0);
  });

  test('a wait for further writes ends after half the duration of the last commit', async () => {
    const { commit, write } = open();
    await commit(3, SLOW_MS);

    write('one');
    await clock.advance(SLOW_MS * GATHERING_SHARE - 1);
    write('two');
    const before = [...history];
    await clock.advance(1);

    expect(before).toEqual([]);
    expect(history).toEqual(['one', 'two', 'commit']);
  });

  test('a caller that wrote alone waits for the callers of the commit before it', async () => {
    const { commit, write } = open();
    await commit(3, SLOW_MS);
    write('alone');
    syncMs = SLOW_MS;
    await clock.advance(SLOW_MS * GATHERING_SHARE);
    syncMs = 0;

    write('one');
    write('two');
    await clock.advance(0);
    const before = [...history];
    write('three');
    await clock.advance(0);

    expect(before).toEqual(['alone', 'commit']);
    expect(history.slice(2)).toEqual(['one', 'two', 'three', 'commit']);
  });

  test('after two slow commits of one write each, a write does not wait for further writes', async () => {
    const { commit, write } = open();
    await commit(3, SLOW_MS);
    for (const name of ['one', 'two']) {
      write(name);
      syncMs = SLOW_MS;
      await clock.advance(SLOW_MS * GATHERING_SHARE);
    }

    write('three');
    await clock.advance(0);

    expect(history).toEqual(['one', 'commit', 'two', 'commit', 'three', 'commit']);
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
    await commit(LARGEST_GROUP + 1, SLOW_MS);

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
