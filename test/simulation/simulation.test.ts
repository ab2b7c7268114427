import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openSimulation, type Simulation } from './run-schedule.ts';
import { type Action, createSchedule, type Schedule } from './schedule.ts';
import { shrink } from './shrink.ts';

/** Seeds of the gate. A seed that has failed is added here. */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 1_532_858_684];
const REPLICA_SEEDS = [1, 2, 3, 4, 344_851_831, 1_028_368_827, 1_492_502_953];

// A run cannot be stopped, and the runs share one event loop.
vi.setConfig({ testTimeout: 300_000 });

let simulation: Simulation;

beforeAll(async () => {
  simulation = await openSimulation();
});
afterAll(() => simulation.close());

describe('the simulated bridge', () => {
  test.each(SEEDS)('violates no invariant under the schedule of seed %i', async (seed) => {
    const { violations, story } = await simulation.run(createSchedule(seed));

    expect(violations, story.join('\n')).toEqual([]);
  });

  test.each(REPLICA_SEEDS)(
    'violates no invariant with three replicas under the schedule of seed %i',
    async (seed) => {
      const { violations, story } = await simulation.run(createSchedule(seed, { replicas: 3 }));

      expect(violations, story.join('\n')).toEqual([]);
    },
  );

  test.each([1, 3])(
    'has the same trace whenever a schedule of %i replicas is run',
    async (replicas) => {
      const schedule = createSchedule(100, { length: 40, replicas });

      const first = await simulation.run(schedule);
      const second = await simulation.run(schedule);

      expect(second).toEqual(first);
      expect(first.sold).toBeGreaterThan(0);
      expect(first.lives).toBeGreaterThan(2);
    },
  );

  test('refuses requests and jobs beyond the budget of their token', async () => {
    const { beyondBudget, sold } = await simulation.run(createSchedule(1));

    expect(beyondBudget.requests).toBeGreaterThan(0);
    expect(beyondBudget.jobs).toBeGreaterThan(0);
    expect(sold).toBeGreaterThan(0);
  });

  test('has another trace under another seed', async () => {
    const [one, other] = [createSchedule(1, { length: 5 }), createSchedule(2, { length: 5 })];

    const { trace } = await simulation.run(one);

    expect((await simulation.run(other)).trace).not.toBe(trace);
  });
});

describe('shrink', () => {
  test('finds the actions that a failure needs, and keeps their times', async () => {
    const schedule = createSchedule(7, { length: 30 });
    const needed = ['a3', 'a17'];
    const runs: Schedule[] = [];
    const failing = {
      async run(tried: Schedule) {
        runs.push(tried);
        const names = tried.actions.map(({ name }) => name);
        const fails = needed.every((name) => names.includes(name));
        return { violations: fails ? [`job ${runs.length} is lost`] : ['another failure'] };
      },
    };

    const { actions } = await shrink(failing, schedule, 'job 12 is lost');

    expect(actions).toEqual(schedule.actions.filter(({ name }: Action) => needed.includes(name)));
  });
});
