import { createAdmission } from '../../lib/admission/admission.ts';
import { startDeadline } from '../../lib/admission/deadline.ts';
import { createGate } from '../../lib/admission/gate.ts';
import { resolveConfig } from '../../lib/config/resolve-config.ts';
import { systemClock as clock } from '../../lib/platform/clock.ts';
import type { Bench, Row } from './measure/bench.ts';
import { median, withRange } from './measure/statistics.ts';

const REQUESTS_A_ROUND = 20_000;
const LONG_QUEUE = 10_000;
const SHORT_QUEUE = 1000;
const DEADLINE_MS = 300_000;

interface QueueCosts {
  readonly joinUs: number;
  readonly abortUs: number;
  readonly turnUs: number;
}

/**
 * Deadline, gates and breaker of requests that are admitted at once, against a call without them. Then the cost to enter,
 * abandon and pass a long queue, against a short queue. All in this process.
 */
export const admission: Bench = {
  name: 'admission',
  async run({ rounds }) {
    const request = guardedRequest();
    const costs = { ours: [] as number[], theirs: [] as number[] };
    const queues = { long: [] as QueueCosts[], short: [] as QueueCosts[] };
    await eachUs(request);
    await eachUs(work);
    await queueCosts(LONG_QUEUE);
    for (let round = 0; round < rounds; round += 1) {
      costs.ours.push(await eachUs(request));
      costs.theirs.push(await eachUs(work));
      queues.long.push(await queueCosts(LONG_QUEUE));
      // Both sides make the same number of calls, so that they are measured over a similar time.
      const parts: QueueCosts[] = [];
      for (let part = 0; part < LONG_QUEUE / SHORT_QUEUE; part += 1) {
        parts.push(await queueCosts(SHORT_QUEUE));
      }
      queues.short.push({
        joinUs: mean(parts.map(({ joinUs }) => joinUs)),
        abortUs: mean(parts.map(({ abortUs }) => abortUs)),
        turnUs: mean(parts.map(({ turnUs }) => turnUs)),
      });
    }
    return [
      {
        what: 'deadline, gates and breaker of one request',
        ours: inUs(median(costs.ours)),
        against: 'a bare async function',
        theirs: inUs(median(costs.theirs)),
        budget: '< 60 µs more',
      },
      queueRow('entering a queue', queues, ({ joinUs }) => joinUs),
      queueRow('aborting entries all over a queue', queues, ({ abortUs }) => abortUs),
      queueRow('being admitted from a queue', queues, ({ turnUs }) => turnUs),
    ];
  },
};

function queueRow(
  what: string,
  { long, short }: { readonly long: readonly QueueCosts[]; readonly short: readonly QueueCosts[] },
  of: (costs: QueueCosts) => number,
): Row {
  const [ours, theirs] = [long.map(of), short.map(of)];
  return {
    what: `${what} of ${LONG_QUEUE}, each`,
    ours: inUs(median(ours)),
    against: `a queue of ${SHORT_QUEUE}`,
    theirs: inUs(median(theirs)),
    ratio: withRange(ours.map((us, round) => us / (theirs[round] ?? Number.NaN))),
    budget: 'constant: about 1',
  };
}

async function work(): Promise<void> {}

/** Runs a request through all steps, with all limits finite. */
function guardedRequest(): () => Promise<void> {
  const defaults = resolveConfig([]);
  if (!defaults.ok) throw new Error('the defaults are refused');
  const { runtime } = defaults.config;
  const bounds = { max_concurrent: 64, max_queued: LONG_QUEUE };
  const { enterOperation, enterRoute } = createAdmission({
    runtime: { ...runtime, global: bounds, providers: { ...runtime.providers, sandbox: bounds } },
    clock,
  });
  const client = new AbortController().signal;
  return async () => {
    const deadline = startDeadline(clock, DEADLINE_MS, client);
    const permit = await enterOperation(deadline.signal, () => {});
    const pass = await enterRoute('sandbox', deadline.signal);
    await work();
    pass.settle();
    permit.release();
    deadline.end();
  };
}

async function eachUs(call: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  for (let nth = 0; nth < REQUESTS_A_ROUND; nth += 1) await call();
  return usEach(startMs, REQUESTS_A_ROUND);
}

/** Fills a queue, aborts every second entry, newest first, and admits the others. */
async function queueCosts(length: number): Promise<QueueCosts> {
  const gate = createGate({ name: 'bench', maxConcurrent: 1, maxQueued: 'unlimited', clock });
  const holder = await gate.enter(new AbortController().signal);
  const entries = Array.from({ length }, () => new AbortController());
  let startMs = performance.now();
  const waiting = entries.map(({ signal }) => gate.enter(signal));
  const joinUs = usEach(startMs, length);
  const admitted = waiting.map((entering) =>
    entering.then(
      (permit) => permit.release(),
      () => {},
    ),
  );
  const aborted = entries.filter((_, nth) => nth % 2 === 0).reverse();
  const reason = new Error('aborted');
  startMs = performance.now();
  for (const controller of aborted) controller.abort(reason);
  const abortUs = usEach(startMs, aborted.length);
  startMs = performance.now();
  holder.release();
  await Promise.all(admitted);
  const turnUs = usEach(startMs, length - aborted.length);
  const { active, queued } = gate.counts();
  if (active + queued > 0) throw new Error('the queue is not empty');
  return { joinUs, abortUs, turnUs };
}

function usEach(startMs: number, times: number): number {
  return ((performance.now() - startMs) * 1000) / times;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function inUs(us: number): string {
  return `${us.toFixed(2)} µs`;
}
