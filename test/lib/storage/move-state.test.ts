import { describe, expect, it } from 'vitest';
import { moveState } from '../../../lib/storage/move-state.ts';
import type { StateInspection } from '../../../lib/storage/state-inspection-port.ts';
import type { MoveSource, MoveTarget } from '../../../lib/storage/state-move-port.ts';

/** Two states without rows that record the steps of a move. `stored` is the checksum of the tables of the target. */
function createStates({ stored = 'equal' } = {}) {
  const steps: string[] = [];
  const step = async (name: string) => void steps.push(name);
  const tables = (checksum: string) => ({
    listColumns: async () => [],
    digest: async () => ({ rows: 0, checksum }),
  });
  const source = {
    ...tables('equal'),
    async *read() {},
    pauseQueue: () => step('pause the source'),
  } as unknown as MoveSource;
  const target = {
    ...tables(stored),
    write: async () => {},
    complete: () => step('complete the target'),
  } as unknown as MoveTarget;
  const from: Pick<StateInspection, 'moveOut'> = { moveOut: (work) => work(source) };
  const to: Pick<StateInspection, 'moveIn'> = {
    async moveIn(work) {
      const result = await work(target);
      await step('commit the target');
      return result;
    },
  };
  return { steps, step, from, to };
}

describe('moveState', () => {
  it('pauses the source before the target gets its rows, so that a kill never leaves two states that run the same jobs', async () => {
    const { steps, step, from, to } = createStates();

    await moveState(from, to, { moveFiles: () => step('move the files'), onRows: () => {} });

    expect(steps).toEqual([
      'move the files',
      'complete the target',
      'pause the source',
      'commit the target',
    ]);
  });

  it('leaves the source running if its files cannot be moved', async () => {
    const { steps, from, to } = createStates();
    const moveFiles = () => Promise.reject(new Error('a damaged file'));

    await expect(moveState(from, to, { moveFiles, onRows: () => {} })).rejects.toThrow(
      'a damaged file',
    );

    expect(steps).toEqual([]);
  });

  it('stops copying files if a table differs, and leaves the source running', async () => {
    const { steps, step, from, to } = createStates({ stored: 'other' });
    const moveFiles = async (_: unknown, signal: AbortSignal) => {
      while (!signal.aborted) await new Promise(setImmediate);
      await step('stop the files');
    };

    await expect(moveState(from, to, { moveFiles, onRows: () => {} })).rejects.toThrow(
      'the table artifact differs after the copy (0 of 0 rows)',
    );

    expect(steps).toEqual(['complete the target', 'stop the files']);
  });
});
