import { setTimeout as sleep } from 'node:timers/promises';
import { BFL } from '../../../lib/providers/task/services/bfl.ts';
import { TASK_TIMING } from '../../../lib/providers/task/task-timing.ts';
import { agentRequest } from '../../lib/providers/agent-responses/requests.ts';
import { openTaskRig } from '../../support/task-rig.ts';
import type { Bench, Row } from '../measure/bench.ts';

const CALLS = 15;
const TICKETS = 1000;
// After this time every ticket is polled at the longest interval.
const SETTLE_MS = 25_000;
const MEASURE_MS = 20_000;

type Rig = ReturnType<typeof openTaskRig>;

const requestOf = (prompt: string) => agentRequest({ model: 'flux-2-pro', prompt });

/** One call of a service with tasks that replies at once, and many tasks that wait for their end. */
export const tasks: Bench = {
  name: 'tasks',
  async run({ start }) {
    const { port } = await start('task-server', {});
    const settings = { base_url: `http://127.0.0.1:${port}` };
    const rig = openTaskRig({ service: BFL, settings, timing: TASK_TIMING });
    const rows = [await callRow(rig), await ticketsRow(rig)];
    await rig.close();
    return rows;
  },
};

/** Measures the time of a call beyond its poll interval. The time of the emulator is included. */
async function callRow(rig: Rig): Promise<Row> {
  await rig.run(requestOf('quick')).result;
  const times: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const startMs = performance.now();
    await rig.run(requestOf('quick')).result;
    times.push(performance.now() - startMs - TASK_TIMING.firstPollMs);
  }
  const [median = 0] = times.toSorted((one, other) => one - other).slice(Math.floor(CALLS / 2));
  return {
    what: 'a task call beyond its poll interval, median',
    ours: `${median.toFixed(1)} ms`,
    budget: '< 30 ms',
  };
}

/** Measures the CPU time of polls without a limit of requests. A limit makes the polls rarer. */
async function ticketsRow(rig: Rig): Promise<Row> {
  const stop = new AbortController();
  const running = Array.from({ length: TICKETS }, () =>
    rig.run(requestOf('endless'), { signal: stop.signal }),
  );
  await sleep(SETTLE_MS);
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await sleep(MEASURE_MS);
  const { user, system } = process.cpuUsage(cpu);
  const share = (user + system) / 1000 / (performance.now() - startMs);
  stop.abort(new Error('the bench has ended'));
  await Promise.all(running.map(({ ended }) => ended));
  return {
    what: `${TICKETS} waiting tasks, share of one core`,
    ours: `${(share * 100).toFixed(1)} %`,
    budget: '< 10 %',
  };
}
