import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, freshFolder, runProgram, startBridge } from '../../support/start-bridge.ts';
import { type SlowTask, startSlowRelay } from './slow-relay.ts';

// Set TICKET_KILLS=50 for a long run.
const KILLS = Number(process.env['TICKET_KILLS'] ?? 2);
const TIMEOUT_MS = 60_000 + KILLS * 15_000;
const JOBS_A_LIFE = 4;
const MAX_OUTPUTS = 3;
const LONGEST_LIFE_MS = 1500;
const LONGEST_TASK_MS = 1500;
const LONGEST_REPLY_MS = 60;

afterAll(cleanUp);

interface Order {
  readonly prompt: string;
  readonly n: number;
  readonly key: string;
  id?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: each use knows the shape of the reply that it reads.
type Json = any;

async function get(address: string, token: string, path: string): Promise<Json> {
  const response = await fetch(address + path, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return response.json();
}

/** Submits the orders that have no job yet, until the program ends. */
async function submitAll(address: string, token: string, orders: readonly Order[]): Promise<void> {
  for (const order of orders.filter(({ id }) => id === undefined)) {
    const { prompt, n, key } = order;
    const policy = n === MAX_OUTPUTS ? 'best_effort' : 'fail_fast';
    try {
      const response = await fetch(`${address}/v1/jobs`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({
          ...{ prompt, parameters: { n, failure_policy: policy, output_format: 'png' } },
        }),
      });
      const reply: Json = await response.json();
      // A program that is stopping accepts nothing.
      if (response.status !== 202) return;
      order.id = reply.id;
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return;
      throw error;
    }
  }
}

async function endOf(address: string, token: string, { id }: Order): Promise<Json> {
  for (;;) {
    const job = await get(address, token, `/v1/jobs/${id}?wait_ms=30000`);
    if (job.completed !== undefined) return job;
  }
}

/** Compares a job that has ended with its tasks. Returns the number of its images. */
function checkJob(job: Json, { prompt, n }: Order, tasks: readonly SlowTask[]): number {
  const images: Json[] = (job.result ?? job.partial_result)?.data ?? [];
  const delivered = images.map(({ sha256 }) => sha256);
  const own = tasks.filter((task) => task.prompt === prompt);

  // An output is never submitted twice, so there is at most one task for each output.
  expect(own.length).toBeLessThanOrEqual(n);
  // A task that was polled had a stored ticket, so its image is delivered, whatever became of the job's other outputs.
  const polled = own.filter(({ isPolled }) => isPolled).map(({ sha256 }) => sha256);
  expect(delivered).toEqual(expect.arrayContaining(polled));
  expect(new Set(delivered).size).toBe(delivered.length);
  if (job.status === 'succeeded') {
    expect(delivered.length + (job.result.failures?.length ?? 0)).toBe(n);
  } else {
    expect(job).toMatchObject({
      status: 'interrupted',
      error: { details: { outcome: 'unknown', reason: 'interrupted' } },
    });
  }
  return images.length;
}

describe('a program that is killed while its jobs wait for tasks', () => {
  it(`submits no task again and delivers every finished image, ${KILLS} times`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const cwd = await freshFolder();
    const relay = await startSlowRelay({
      taskMs: () => randomInt(LONGEST_TASK_MS),
      replyMs: () => randomInt(LONGEST_REPLY_MS),
    });
    const tokens = 'server.tokens_file=tokens.toml';
    const words = ['tokens', 'add', 'alice', '--images-per-day', '1000000', '--set', tokens];
    const token = (await runProgram(words, cwd)).stdout.trim();
    const limits = ['server.jobs.max_pending=10000', 'runtime.shutdown_grace_ms=100'];
    // Delivered images are compared with the images of the relay by their checksums.
    const set = [...relay.settings, tokens, ...limits, 'provenance.mark=never'];
    const orders: Order[] = [];

    for (let life = 0; life < KILLS; life += 1) {
      const bridge = await startBridge({ command: 'serve', cwd, set });
      for (let more = 0; more < JOBS_A_LIFE; more += 1) {
        const nth = orders.length;
        orders.push({ prompt: `order ${nth}`, n: 1 + (nth % MAX_OUTPUTS), key: `key-${nth}` });
      }
      const submitting = submitAll(bridge.address, token, orders);
      await delay(randomInt(LONGEST_LIFE_MS));
      // Every third life ends with a signal that the program handles.
      await bridge.end(life % 3 === 1 ? 'SIGTERM' : 'SIGKILL');
      await submitting;
    }
    const bridge = await startBridge({ command: 'serve', cwd, set });
    await submitAll(bridge.address, token, orders);
    const jobs: Json[] = [];
    for (const order of orders) jobs.push(await endOf(bridge.address, token, order));
    const usage = await get(bridge.address, token, '/v1/usage?days=3');
    const { code } = await bridge.end();
    await relay.close();

    let images = 0;
    for (const [nth, order] of orders.entries()) images += checkJob(jobs[nth], order, relay.tasks);
    const total = (field: string) =>
      usage.items.reduce((sum: number, item: Json) => sum + item[field], 0);
    expect(code).toBe(0);
    expect(total('images')).toBe(images);
    expect(images + total('unknown')).toBeGreaterThanOrEqual(relay.tasks.length);
    expect(total('lost')).toBe(0);
    expect(usage.caller.allowance.used).toBe(images + total('unknown'));
    if (process.env['TICKET_KILLS']) {
      const counts = Object.groupBy(jobs, ({ status }) => status);
      const byStatus = Object.entries(counts).map(([status, all]) => `${all?.length} ${status}`);
      const facts = [`${KILLS} kills`, `${relay.tasks.length} tasks`, `${images} images`];
      console.info([...facts, `${total('unknown')} unknown`, ...byStatus].join(', '));
    }
  });
});
