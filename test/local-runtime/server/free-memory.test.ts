import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectGarbage, createFreeMemory } from '../../../local-runtime/server/free-memory.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const MB = 1024 * 1024;
const { signal } = new AbortController();

/** Creates the task for a process whose buffers and event loop are described by `state`. */
function rig() {
  const clock = createManualClock();
  const state = { bytes: 0, busy: 0, collections: 0 };
  const task = createFreeMemory({
    bufferBytes: () => state.bytes,
    busySinceLast: () => state.busy,
    collect: () => {
      state.collections += 1;
    },
    clock,
  });
  return {
    state,
    /** Runs the task. A collection leaves `keptBytes`, by default all. */
    async run({ keptBytes, ...changes }: Partial<typeof state> & { keptBytes?: number }) {
      Object.assign(state, changes);
      const run = task.run(signal);
      state.bytes = keptBytes ?? state.bytes;
      clock.advance(1000);
      await run;
    },
  };
}

describe('createFreeMemory', () => {
  it('collects when the event loop is idle and buffers have grown', async () => {
    const { state, run } = rig();

    await run({ bytes: 100 * MB, busy: 0.5 });
    expect(state.collections).toBe(0);

    await run({ busy: 0.01 });
    expect(state.collections).toBe(1);
  });

  it('collects nothing for a few buffers', async () => {
    const { state, run } = rig();

    await run({ bytes: 15 * MB });

    expect(state.collections).toBe(0);
  });

  it('does not collect again for buffers that remained after a collection', async () => {
    const { state, run } = rig();

    await run({ bytes: 100 * MB, keptBytes: 60 * MB });
    await run({ bytes: 75 * MB });
    expect(state.collections).toBe(1);

    await run({ bytes: 76 * MB });
    expect(state.collections).toBe(2);
  });

  it('collects again when the remaining buffers are no longer used', async () => {
    const { state, run } = rig();

    await run({ bytes: 100 * MB, keptBytes: 100 * MB });
    await run({ bytes: 5 * MB });
    await run({ bytes: 40 * MB });

    expect(state.collections).toBe(2);
  });

  it('collects after each of two bursts, even if the second begins before the next run', async () => {
    const { state, run } = rig();

    await run({ bytes: 60 * MB, keptBytes: 5 * MB });
    await run({ bytes: 70 * MB, busy: 0.9 });
    await run({ bytes: 62 * MB, busy: 0 });

    expect(state.collections).toBe(2);
  });
});

describe('collectGarbage', () => {
  it('collects unused buffers', async () => {
    const buffer = unusedBuffer();
    // A weak reference keeps its target alive until the end of the turn in which it was created.
    await setImmediate();

    collectGarbage();

    expect(buffer.deref()).toBeUndefined();
  });
});

function unusedBuffer(): WeakRef<Buffer> {
  return new WeakRef(Buffer.alloc(MB));
}
