import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { createGroupCommit } from '../../../../lib/storage/postgres/group-commit.ts';

function createRecorder(fail: (group: readonly string[]) => Error | undefined = () => undefined) {
  const groups: (readonly string[])[] = [];
  const running = Promise.withResolvers<void>();
  const commit = createGroupCommit(async (group: readonly string[]) => {
    groups.push(group);
    running.resolve();
    // The next group gathers while this group runs.
    await new Promise((resolve) => setImmediate(resolve));
    const failure = fail(group);
    if (failure) throw failure;
    return group.map((item) => item.toUpperCase());
  }, 3);
  return { groups, commit, untilRunning: running.promise };
}

describe('createGroupCommit', () => {
  it('runs items of one turn of the event loop together, up to the largest group', async () => {
    const { groups, commit } = createRecorder();

    const results = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(commit));

    expect(results).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(groups).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
  });

  it('runs items that arrive during a group together', async () => {
    const { groups, commit, untilRunning } = createRecorder();
    const first = commit('a');
    await untilRunning;

    await Promise.all([first, commit('b'), commit('c')]);

    expect(groups).toEqual([['a'], ['b', 'c']]);
  });

  it('rejects only the item that fails', async () => {
    const failure = new BridgeError('rate_limited', 'no');
    const { commit } = createRecorder((group) => (group.includes('c') ? failure : undefined));

    const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map(commit));

    expect(results.map((result) => ('value' in result ? result.value : result.reason))).toEqual([
      'A',
      'B',
      failure,
      'D',
    ]);
  });

  it('rejects a whole group without repetition if the database is unavailable', async () => {
    const lost = new BridgeError('overloaded', 'lost', { cause: new Error('ECONNRESET') });
    const { groups, commit } = createRecorder((group) => (group.includes('c') ? lost : undefined));

    const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map(commit));

    const rejected = ['rejected', 'rejected', 'rejected'];
    expect(results.map(({ status }) => status)).toEqual([...rejected, 'fulfilled']);
    expect(groups).toHaveLength(2);
  });
});
