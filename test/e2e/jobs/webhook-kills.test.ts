import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CHECKS } from '../../support/drivers.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  startBridge,
  stateOf,
} from '../../support/start-bridge.ts';
import { type Receiver, startReceiver, webhookSettings } from './webhook-receiver.ts';

// Set WEBHOOK_KILLS=500 for many kills, or WEBHOOK_KILLS=25 WEBHOOK_JOBS=500 for many jobs.
const KILLS = Number(process.env['WEBHOOK_KILLS'] ?? 3);
const JOBS_A_ROUND = Number(process.env['WEBHOOK_JOBS'] ?? 20);
const LONGEST_LIFE_MS = 30 * JOBS_A_ROUND;
const TIMEOUT_MS = 120_000 + KILLS * (10_000 + 4 * LONGEST_LIFE_MS);
const CUT_OR_REFUSE_EVERY = 6;

let receiver: Receiver | undefined;

afterEach(() => receiver?.kill());
afterAll(cleanUp);

/** The ids of the jobs that were accepted before the bridge ended. */
async function submit(address: string, url: string): Promise<readonly string[]> {
  const ids = await Promise.all(
    Array.from({ length: JOBS_A_ROUND }, async () => {
      const response = await fetch(`${address}/v1/jobs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'a boat', parameters: { size: '64x64' }, webhook: { url } }),
      }).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      if (text === undefined) return [];
      expect(response?.status).toBe(202);
      return [String(JSON.parse(text).id)];
    }),
  );
  return ids.flat();
}

/** Sets all deliveries due, as if the delays of all attempts had passed. */
const makeDue = (cwd: string) =>
  stateOf(cwd).query('UPDATE webhook SET due = 0 WHERE due IS NOT NULL');

async function webhookOf(address: string, id: string) {
  const response = await fetch(`${address}/v1/jobs/${id}?wait_ms=30000`);
  return JSON.parse(await response.text());
}

describe('webhooks of a program that is killed, to a receiver that is killed', () => {
  it(`deliver each end at least once, ${KILLS} times`, { timeout: TIMEOUT_MS }, async () => {
    const cwd = await freshFolder();
    let replies = 0;
    let isReliable = false;
    receiver = await startReceiver(() => {
      replies += 1;
      if (isReliable || replies % CUT_OR_REFUSE_EVERY !== 0) return 204;
      return replies % 2 === 0 ? 'cut' : 503;
    });
    const { set, env } = webhookSettings(receiver.host);
    const most = KILLS * JOBS_A_ROUND;
    const room = [`server.jobs.max_pending=${most}`, `server.jobs.max_retained=${most}`];
    const settings = { cwd, env, set: [...set, ...room] };
    const ids: string[] = [];

    for (let round = 0; round < KILLS; round += 1) {
      const bridge = await startBridge(settings);
      const submitting = submit(bridge.address, receiver.url);
      await delay(randomInt(LONGEST_LIFE_MS));
      if (round % 2 === 0) await receiver.kill();
      await delay(randomInt(LONGEST_LIFE_MS));
      await bridge.end('SIGKILL');
      ids.push(...(await submitting));
      if (round % 2 === 0) await receiver.start();
    }
    isReliable = true;
    await makeDue(cwd);
    const bridge = await startBridge(settings);
    const jobs = [];
    for (const id of ids) {
      for (;;) {
        const job = await webhookOf(bridge.address, id);
        if (job.completed !== undefined && job.webhook.status !== 'pending') {
          jobs.push(job);
          break;
        }
        await delay(100);
      }
    }
    const { code } = await bridge.end();

    expect(code).toBe(0);
    expect(ids.length).toBeGreaterThan(0);
    expect(receiver.refused).toEqual([]);
    expect(new Set(jobs.map(({ webhook }) => webhook.status))).toEqual(new Set(['delivered']));
    const types = new Map(receiver.received.map(({ id, type }) => [id, type]));
    for (const { id, status } of jobs) expect(types.get(id)).toBe(`job.${status}`);
    for (const { id, type, data } of receiver.received) {
      expect(data).toMatchObject({ id, status: type.slice('job.'.length) });
    }
    for (const command of CHECKS) {
      expect(await runProgram(command, cwd)).toMatchObject({ code: 0 });
    }
    console.info(`kills: ${KILLS}, jobs: ${ids.length}, messages: ${receiver.received.length}`);
  });
});
