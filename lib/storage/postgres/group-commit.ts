import { isRefusal } from './driver-errors.ts';

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that handles items in groups, because one transaction for many items needs one sync of the disk and few round
 * trips. `run` handles a group in one transaction and resolves with one result for each item, in order. Items that arrive in one
 * turn of the event loop form a group. At most one group runs at a time, and items that arrive meanwhile form the next group. If a
 * group fails, each of its items runs again alone, so that an item fails only for its own reasons. If the database is unavailable,
 * all items of the group fail.
 */
export function createGroupCommit<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  largestGroup: number,
): (item: Item) => Promise<Result> {
  const queue: Waiting<Item, Result>[] = [];
  let isRunning = false;

  async function runGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(group.map(({ item }) => item));
      if (results.length !== group.length) throw new Error('a group has another number of results');
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      if (group.length > 1 && !isRefusal(error)) {
        for (const one of group) await runGroup([one]);
      } else {
        for (const { reject } of group) reject(error);
      }
    }
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      // Callers that were woken together form one group. Callers whose items were in the last group may add their next items to the
      // next group. Otherwise the callers would split into two groups, and each group would wait for the other.
      await new Promise((resolve) => setImmediate(resolve));
      await runGroup(queue.splice(0, largestGroup));
    }
    isRunning = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isRunning) void runAll();
    });
}
