import { describe, expect, it } from 'vitest';
import type { TaskFacts } from '../../../../lib/providers/task/task-service.ts';
import type { FoundState } from '../../../../lib/providers/task/task-start.ts';
import { TASK_TIMING } from '../../../../lib/providers/task/task-timing.ts';
import { createTaskWatch } from '../../../../lib/providers/task/task-watch.ts';

const never = new AbortController().signal;
const waiting = {
  state: { phase: 'waiting', isRunning: false },
  json: {},
} as unknown as FoundState;
const done = { state: { phase: 'done', images: [] }, json: {} } as unknown as FoundState;

describe('createTaskWatch', () => {
  it.each([
    ['a minute if the service asks for years', 2.5e14, 60_000],
    ['as long as the service asks', 20_000, 20_000],
    ['its own time if the service asks for less', 100, 750],
  ])('waits %s between two polls', async (_, askedMs, expectedMs) => {
    const waits: number[] = [];
    const reads = [
      { waitMs: askedMs, found: waiting },
      { waitMs: 0, found: done },
    ];
    const ended = createTaskWatch({
      client: { read: async () => reads.shift() ?? { waitMs: 0 } },
      pace: { wait: async (waitMs) => void waits.push(waitMs), count: () => {} },
      timing: TASK_TIMING,
    });

    const found = await ended(
      { ticket: { poll: '/task' } as never },
      {} as TaskFacts,
      never,
      () => {},
    );

    expect(found).toBe(done);
    expect(waits).toEqual([500, expectedMs]);
  });
});
