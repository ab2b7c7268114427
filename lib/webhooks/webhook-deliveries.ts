import type { Config } from '../config/settings/settings.ts';
import type { ImageJob } from '../contract/resources/job.ts';
import type { WebhookMessage } from '../contract/resources/webhook-message.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { createNotifier } from '../platform/notifier.ts';
import type { Task } from '../platform/task.ts';
import { toOutcome } from './next-attempt.ts';
import { type PostWebhook, TIMEOUT_MS } from './post-webhook.ts';
import { signWebhook } from './sign-webhook.ts';
import type { DueWebhook, WebhookStore } from './webhook-store-port.ts';

interface Deps {
  readonly store: WebhookStore;
  /** The job as its owner sees it; undefined when it was removed. */
  readonly findJob: (scope: string, id: string) => Promise<ImageJob | undefined>;
  readonly post: PostWebhook;
  readonly settings: Pick<Config['server']['webhooks'], 'allowed_hosts'>;
  /** Of the signatures. */
  readonly keys: readonly Uint8Array[];
  readonly log: Pick<TraceLog, 'failure'>;
  readonly metrics: Pick<Metrics, 'webhookSent'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newFraction'>;
}

const TASK = 'webhooks';
// After a store that cannot be read or written.
const RETRY_MS = 1000;
// A machine that slept has lost the time of its timers.
const LOOK_EVERY_MS = 60_000;
const MAX_SENDING = 32;
// Nothing is sent twice at the same time: an attempt ends before.
const CLAIM_MS = TIMEOUT_MS + 5000;

/** Sends the ends of jobs, each until its receiver has taken it or the attempts are used up. */
export function createWebhookDeliveries(deps: Deps) {
  const { store, findJob, post, settings, keys, log, metrics, clock, ids } = deps;
  const changes = createNotifier();
  // Each host has slots of its own: those that hang, however many, take none from the others.
  const slots = Math.ceil(MAX_SENDING / Math.max(1, settings.allowed_hosts.length));
  /** What is being sent, and to which host. */
  const sending = new Map<Promise<void>, string>();

  async function attempt(due: DueWebhook, signal: AbortSignal): Promise<void> {
    const { sequence, attempts } = due;
    const job = await findJob(due.scope, due.jobId);
    if (!job) return;
    const body = toBody(job);
    const headers = signWebhook({ id: job.id, timestampSecs: nowSecs(clock), body }, keys);
    const status = await post(due.url, { headers, body }, signal);
    const at = { nowMs: clock.nowMs(), fraction: ids.newFraction() };
    const outcome = toOutcome({ attempts, status, ...at });
    await store.settle(sequence, outcome);
    metrics.webhookSent(outcome.state === 'pending' ? 'retried' : outcome.state);
  }

  async function send(due: DueWebhook, signal: AbortSignal): Promise<void> {
    try {
      await attempt(due, signal);
    } catch (thrown) {
      // What is not put back here is due again when its claim ends.
      if (signal.aborted) await store.putBack(due.sequence, clock.nowMs()).catch(() => {});
      else log.failure(thrown, { task: TASK });
    }
  }

  async function sendDue(host: string, signal: AbortSignal): Promise<void> {
    const nowMs = clock.nowMs();
    const request = { host, nowMs, untilMs: nowMs + CLAIM_MS, limit: freeSlots(host) };
    for (const due of await store.claim(request)) {
      const sent = send(due, signal).finally(() => {
        sending.delete(sent);
        changes.notify();
      });
      sending.set(sent, host);
    }
  }

  function freeSlots(host: string): number {
    return slots - [...sending.values()].filter((other) => other === host).length;
  }

  async function untilChanged(dueMs: number): Promise<void> {
    const cancel = clock.after(dueMs - clock.nowMs(), changes.notify);
    await changes.wait();
    cancel();
  }

  async function sendAll(signal: AbortSignal, succeeded: () => void): Promise<void> {
    while (!signal.aborted) {
      const nowMs = clock.nowMs();
      const queues = (await store.listQueues()).filter(({ host }) => freeSlots(host) > 0);
      const due = queues.filter(({ dueMs }) => dueMs <= nowMs);
      await Promise.all(due.map(({ host }) => sendDue(host, signal)));
      if (due.length > 0) continue;
      succeeded();
      await untilChanged(Math.min(nowMs + LOOK_EVERY_MS, ...queues.map(({ dueMs }) => dueMs)));
    }
  }

  const task: Task = {
    name: TASK,
    everyMs: RETRY_MS,
    async run(signal, succeeded = () => {}) {
      signal.addEventListener('abort', changes.notify, { once: true });
      try {
        await sendAll(signal, succeeded);
      } finally {
        signal.removeEventListener('abort', changes.notify);
        await Promise.all(sending.keys());
      }
    },
  };

  return {
    /** Runs until it is stopped, and then ends what is being sent. */
    task,
    /** To be called after a commit that may have ended a job. */
    wake: changes.notify,
  };
}

/** Of a job that has ended. */
function toBody(job: ImageJob): string {
  const timestamp = new Date((job.completed ?? job.updated) * 1000).toISOString();
  const type = `job.${job.status}` as WebhookMessage['type'];
  return JSON.stringify({ type, timestamp, data: job } satisfies WebhookMessage);
}
