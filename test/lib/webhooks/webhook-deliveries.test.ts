import { setImmediate as turn } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Permits } from '../../../lib/admission/permits-port.ts';
import { foundJob } from '../../../lib/jobs/job-end.ts';
import { toImageJob } from '../../../lib/jobs/jobs.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import {
  createWebhookDeliveries,
  type PostWebhook,
  signWebhook,
  toOutcome,
} from '../../../lib/webhooks/webhook-deliveries.ts';
import { newJob, succeeded, WIDE } from '../../support/jobs.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { openTestStores } from '../../support/stores.ts';

const KEY = Buffer.alloc(32, 3);
const RECEIVER = new Webhook(`whsec_${KEY.toString('base64')}`);
const URL = 'https://hooks.test/ends';
const OTHER = 'https://other.test/ends';

type Posted = Parameters<PostWebhook>[1] & { readonly url: string };

let rig: Awaited<ReturnType<typeof openRig>>;

/** Opens deliveries with real stores and signatures. The receiver and the time are scripted. */
async function openRig(allowed_hosts: readonly string[], permits?: Permits) {
  const clock = createManualClock();
  const ids = { ...createIds(clock.nowMs), newFraction: () => 0.5 };
  const stores = await openTestStores({ clock, ids });
  const { jobs, webhooks: store } = stores;
  const posted: Posted[] = [];
  const results: string[] = [];
  const lines: string[] = [];
  const stopping = new AbortController();
  const receiver = {
    reply: async (_posted: Posted, _signal: AbortSignal): Promise<number | undefined> => 200,
  };
  const deliveries = createWebhookDeliveries({
    store,
    clock,
    ids,
    permits,
    settings: { allowed_hosts },
    keys: [KEY],
    log: createTraceLog((line) => lines.push(line)),
    metrics: { webhookSent: (result) => void results.push(result) },
    jobs: {
      find: async (scope, id) => toImageJob(foundJob(await jobs.find(scope, id)), undefined),
    },
    post(url, message, signal) {
      const sent = { url, ...message };
      posted.push(sent);
      return receiver.reply(sent, signal);
    },
  });
  let running: Promise<void> | undefined;
  let successes = 0;

  return {
    clock,
    jobs,
    store,
    state: stores.state,
    posted,
    results,
    lines,
    receiver,
    deliveries,
    work(): void {
      running = deliveries.task.run(stopping.signal, () => {
        successes += 1;
      });
    },
    successes: () => successes,
    /** Advances the time when the task waits for its next webhook. */
    async advance(ms: number): Promise<void> {
      await until(() => clock.waiting > 0);
      await clock.advance(ms);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
    async close(): Promise<void> {
      await this.stop();
      await stores.close();
    },
    /** Submits a job and ends it. */
    async end(url = URL) {
      const nowSecs = Math.floor(clock.nowMs() / 1000);
      const webhook = { url, events: ['succeeded' as const] };
      await jobs.submit(newJob({ webhook }), WIDE);
      const job = await jobs.claim(nowSecs);
      if (!job?.request) throw new Error('nothing was claimed');
      await jobs.settle(job.sequence, succeeded(nowSecs));
      deliveries.wake();
      return job;
    },
    async webhookOf({ scope, id }: { scope: string; id: string }) {
      return (await jobs.find(scope, id))?.webhook;
    },
  };
}

/** Resolves once the condition holds. Meanwhile, the timers that are due run at each turn of the event loop. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await rig.clock.advance(0);
}

/** Verifies the signature. The age is not verified, because the library does not use the manual clock of the rig. */
function verified({ headers, body }: Posted): unknown {
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
  const expected = RECEIVER.sign(headers['webhook-id'] ?? '', sentAt, body);
  expect(headers['webhook-signature']).toBe(expected);
  return JSON.parse(body);
}

describe('createWebhookDeliveries', () => {
  beforeEach(async () => {
    rig = await openRig(['hooks.test']);
  });
  afterEach(() => rig.close());

  test('the end of a job is sent after a wake', async () => {
    rig.work();
    const job = await rig.end();
    await until(() => rig.results.length === 1);

    const [sent] = rig.posted;
    expect(sent?.url).toBe(URL);
    expect(sent?.headers['webhook-id']).toBe(job.id);
    expect(sent && verified(sent)).toMatchObject({
      type: 'job.succeeded',
      timestamp: '2025-01-01T00:00:00.000Z',
      data: { id: job.id, status: 'succeeded', result: { data: [] } },
    });
    expect(rig.results).toEqual(['delivered']);
    expect(await rig.webhookOf(job)).toMatchObject({ state: 'delivered', lastStatus: 200 });
  });

  test('webhooks that an earlier process left are sent at the start', async () => {
    const job = await rig.end();

    rig.work();
    await until(() => rig.results.length === 1);

    expect(rig.posted.map(({ headers }) => headers['webhook-id'])).toEqual([job.id]);
  });

  test('each retry has the same id and a new time, until no attempt is left', async () => {
    rig.receiver.reply = async () => 500;
    rig.work();
    const job = await rig.end();
    await until(() => rig.results.length === 1);

    for (const [nth, secs] of [5, 30, 120, 600, 3600, 21_600, 86_400].entries()) {
      await rig.advance(secs * 1000 - 1);
      expect(rig.posted).toHaveLength(nth + 1);
      await rig.advance(1);
      await until(() => rig.results.length === nth + 2);
    }

    expect(rig.results).toEqual([...Array.from({ length: 7 }, () => 'retried'), 'failed']);
    expect(new Set(rig.posted.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([job.id]),
    );
    expect(new Set(rig.posted.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(8);
    for (const sent of rig.posted) verified(sent);
    expect(await rig.webhookOf(job)).toMatchObject({
      state: 'failed',
      attempts: 8,
      lastStatus: 500,
    });
  });

  test('status 410 ends the delivery', async () => {
    rig.receiver.reply = async () => 410;
    rig.work();
    const job = await rig.end();
    await until(() => rig.results.length === 1);

    expect(rig.results).toEqual(['failed']);
    expect(await rig.webhookOf(job)).toMatchObject({ state: 'failed', attempts: 1 });
  });

  test('at most 32 webhooks are sent at a time, and the others follow', async () => {
    const waiting: (() => void)[] = [];
    rig.receiver.reply = () =>
      new Promise((resolve) => {
        waiting.push(() => resolve(204));
      });
    for (let nth = 0; nth < 40; nth += 1) await rig.end();
    rig.work();
    await until(() => waiting.length === 32);
    for (let nth = 0; nth < 20; nth += 1) await turn();
    expect(waiting).toHaveLength(32);

    while (rig.results.length < 40) {
      for (const reply of waiting.splice(0)) reply();
      await turn();
    }

    expect(new Set(rig.posted.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
    expect(rig.posted).toHaveLength(40);
  });

  test.each([[['hooks.test', 'other.test']], [[]], [Array.from({ length: 40 }, String)]])(
    'a host that does not reply delays no other host if the allowed hosts are %j',
    async (hosts) => {
      await rig.close();
      rig = await openRig(hosts);
      const slots = Math.ceil(32 / Math.max(1, hosts.length));
      rig.receiver.reply = ({ url }, signal) =>
        url === OTHER
          ? Promise.resolve(204)
          : new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason));
            });
      for (let nth = 0; nth < slots + 3; nth += 1) await rig.end();
      rig.work();
      await until(() => rig.posted.length === slots);

      for (let nth = 0; nth < 3; nth += 1) await rig.end(OTHER);
      await until(() => rig.results.length === 3);

      expect(rig.results).toEqual(['delivered', 'delivered', 'delivered']);
      expect(rig.posted.filter(({ url }) => url === URL)).toHaveLength(slots);
    },
  );

  test('webhooks wait while other replicas use all slots of their host, and do not delay other hosts', async () => {
    await rig.close();
    const elsewhere = Promise.withResolvers<void>();
    const taken: string[] = [];
    let isFull = true;
    rig = await openRig(['hooks.test', 'other.test'], {
      async take(gate, limit) {
        taken.push(`${gate} ${limit}`);
        return isFull && gate === 'webhooks hooks.test' ? undefined : () => {};
      },
      async acquire() {
        await elsewhere.promise;
        return () => {};
      },
    });
    await rig.end();
    await rig.end(OTHER);
    rig.work();
    await until(() => rig.results.length === 1);
    const first = rig.posted.map(({ url }) => url);

    isFull = false;
    elsewhere.resolve();
    await until(() => rig.results.length === 2);

    expect(first).toEqual([OTHER]);
    expect(rig.posted.map(({ url }) => url)).toEqual([OTHER, URL]);
    expect(new Set(taken)).toEqual(new Set(['webhooks hooks.test 16', 'webhooks other.test 16']));
  });

  test('a slot is released when its webhook is sent, and when no webhook is due', async () => {
    await rig.close();
    let held = 0;
    let most = 0;
    rig = await openRig(['hooks.test'], {
      async take() {
        held += 1;
        most = Math.max(most, held);
        return () => {
          held -= 1;
        };
      },
      acquire: () => Promise.reject(new Error('no slot is waited for')),
    });
    for (let job = 0; job < 3; job += 1) await rig.end();
    rig.work();
    await until(() => rig.results.length === 3);
    await until(() => rig.successes() > 0);

    expect(held).toBe(0);
    expect(most).toBeGreaterThan(0);
  });

  test('the task reports success when nothing is due, and at least every minute', async () => {
    rig.work();
    await until(() => rig.successes() === 1);

    await rig.end();
    await until(() => rig.results.length === 1 && rig.clock.waiting > 0);
    const before = rig.successes();
    await rig.advance(59_999);
    expect(rig.successes()).toBe(before);
    await rig.advance(1);

    await until(() => rig.successes() === before + 1);
  });

  test('no webhook is claimed or sent after a stop', async () => {
    rig.receiver.reply = () => new Promise(() => {});
    await rig.end();
    const { listQueues } = rig.store;
    const before = await listQueues();
    let stopped: Promise<void> | undefined;
    rig.store.listQueues = async () => {
      const queues = await listQueues();
      stopped ??= rig.stop();
      return queues;
    };

    rig.work();
    await until(() => stopped !== undefined);
    await stopped;

    expect(rig.posted).toEqual([]);
    expect(await listQueues()).toEqual(before);
  });

  test('a webhook that a stop interrupts is due at once, without an attempt', async () => {
    rig.receiver.reply = (_posted, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    rig.work();
    const job = await rig.end();
    await until(() => rig.posted.length === 1);

    await rig.stop();

    expect(await rig.store.listQueues()).toEqual([
      { host: 'hooks.test', dueMs: rig.clock.nowMs() },
    ]);
    expect(await rig.webhookOf(job)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(rig.lines).toEqual([]);
  });

  test('an outcome that cannot be stored is reported, and the webhook is sent again', async () => {
    const { settle } = rig.store;
    let refusals = 1;
    rig.store.settle = (...given) => {
      refusals -= 1;
      return refusals < 0 ? settle(...given) : Promise.reject(new Error('the disk is full'));
    };
    rig.work();
    await rig.end();
    await until(() => rig.lines.length === 1);

    await rig.advance(25_000);
    await until(() => rig.results.length === 1);

    expect(rig.posted).toHaveLength(2);
    expect(JSON.parse(rig.lines[0] ?? '')).toMatchObject({ task: 'webhooks' });
    expect(rig.lines[0]).not.toContain('disk');
  });

  test('a webhook whose claim takes too long is sent after the claim has ended', async () => {
    const { claim } = rig.store;
    const claimed = Promise.withResolvers<void>();
    const replied = Promise.withResolvers<void>();
    rig.store.claim = async (request) => {
      const due = await claim(request);
      claimed.resolve();
      await replied.promise;
      return due;
    };
    await rig.end();

    rig.work();
    await claimed.promise;
    await rig.clock.advance(6000);
    replied.resolve();
    await rig.advance(18_999);
    expect(rig.posted).toEqual([]);
    await rig.advance(1);
    await until(() => rig.results.length === 1);

    expect(rig.results).toEqual(['delivered']);
  });

  test('a job that cannot be read is reported, and counts as a failed attempt', async () => {
    await rig.end();
    await rig.state.damageJobRequests();

    rig.work();
    await until(() => rig.lines.length === 1);
    await until(() => rig.results.length === 1);

    expect(rig.posted).toEqual([]);
    expect(rig.results).toEqual(['retried']);
    const [queue] = await rig.store.listQueues();
    expect(queue?.dueMs).toBe(rig.clock.nowMs() + 5000);
  });

  test('no webhook is sent for a removed job', async () => {
    const { claim } = rig.store;
    const { promise: isRemoved, resolve: removed } = Promise.withResolvers<void>();
    rig.store.claim = async (request) => {
      const due = await claim(request);
      const retention = { maxRetained: 0, maxRetainedBytes: 0, batch: 10 };
      await rig.jobs.prune({ ...retention, completedBeforeSecs: Number.MAX_SAFE_INTEGER });
      removed();
      return due;
    };
    await rig.end();

    rig.work();
    await isRemoved;
    await rig.stop();

    expect(rig.posted).toEqual([]);
    expect(await rig.store.listQueues()).toEqual([]);
  });
});

const NOW_MS = 1_700_000_000_000;
const outcome = (attempts: number, status: number | undefined, fraction = 0.5) =>
  toOutcome({ attempts, status, fraction, nowMs: NOW_MS });

describe('toOutcome', () => {
  test.each([200, 201, 204, 299])('status %i means that the webhook is delivered', (status) => {
    expect(outcome(0, status)).toEqual({ state: 'delivered', lastStatus: status });
  });

  test.each([
    [0, 5],
    [1, 30],
    [2, 120],
    [3, 600],
    [4, 3600],
    [5, 21_600],
    [6, 86_400],
  ])('after %i earlier attempts, the next attempt is in %i s', (attempts, secs) => {
    expect(outcome(attempts, 500)).toEqual({
      state: 'pending',
      lastStatus: 500,
      dueMs: NOW_MS + secs * 1000,
    });
  });

  test.each([
    [0, 4000],
    [0.25, 4500],
    [0.999_999, 6000],
  ])('a fraction of %d changes a wait of five seconds to %i ms', (fraction, delayMs) => {
    expect(outcome(0, 500, fraction)).toMatchObject({ dueMs: NOW_MS + delayMs });
  });

  test.each([undefined, 100, 301, 302, 307, 308, 400, 401, 404, 429, 500, 503])(
    'an attempt with the status %s is retried',
    (status) => {
      expect(outcome(0, status)).toMatchObject({ state: 'pending', lastStatus: status });
    },
  );

  test('status 410 fails at once', () => {
    expect(outcome(0, 410)).toEqual({ state: 'failed', lastStatus: 410 });
  });

  test('the eighth attempt is the last one', () => {
    expect(outcome(7, undefined)).toEqual({ state: 'failed', lastStatus: undefined });
    expect(outcome(7, 204)).toMatchObject({ state: 'delivered' });
  });
});

const OTHER_KEY = Buffer.alloc(64, 9);
const unixNow = () => Math.floor(Date.now() / 1000);
const body = JSON.stringify({ type: 'job.succeeded', data: { prompt: 'ein Fuchs — 狐' } });
const message = (timestampSecs = unixNow()) => ({ id: 'message', timestampSecs, body });
const receiver = (key: Buffer) => new Webhook(`whsec_${key.toString('base64')}`);

describe('signWebhook', () => {
  test('the Standard Webhooks library verifies a signed message', () => {
    const headers = signWebhook(message(), [KEY]);

    expect(receiver(KEY).verify(body, headers)).toEqual(JSON.parse(body));
  });

  test('the signature equals the one that the library creates', () => {
    const timestampSecs = 1_700_000_000;

    const headers = signWebhook(message(timestampSecs), [KEY]);

    const expected = receiver(KEY).sign('message', new Date(timestampSecs * 1000), body);
    expect(headers).toEqual({
      'webhook-id': 'message',
      'webhook-timestamp': '1700000000',
      'webhook-signature': expected,
    });
  });

  test('receivers with either of two secrets accept a signed message', () => {
    const headers = signWebhook(message(), [KEY, OTHER_KEY]);

    expect(receiver(KEY).verify(body, headers)).toBeDefined();
    expect(receiver(OTHER_KEY).verify(body, headers)).toBeDefined();
  });

  test.each([
    ['another secret', () => [receiver(OTHER_KEY), body, message()] as const],
    ['another body', () => [receiver(KEY), `${body} `, message()] as const],
    ['an old time', () => [receiver(KEY), body, message(unixNow() - 3600)] as const],
  ])('a receiver rejects a signed message with %s', (_what, given) => {
    const [webhook, received, sent] = given();
    const headers = signWebhook(sent, [KEY]);

    expect(() => webhook.verify(received, headers)).toThrow();
  });

  test('a receiver rejects a signed message with another id', () => {
    const headers = { ...signWebhook(message(), [KEY]), 'webhook-id': 'another' };

    expect(() => receiver(KEY).verify(body, headers)).toThrow('No matching signature');
  });
});
