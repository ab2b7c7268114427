import type { Config } from '../config/settings/settings.ts';
import type { ImageJob } from '../contract/resources/job.ts';
import type { WebhookMessage } from '../contract/resources/job-events.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { createNotifier } from '../platform/notifier.ts';
import type { Task } from '../platform/task.ts';
import { type PostWebhook, TIMEOUT_MS } from './post-webhook.ts';
import { signWebhook } from './webhook-signature.ts';
import type { DueWebhook, WebhookOutcome, WebhookStore } from './webhook-store-port.ts';

interface Deps {
  readonly store: WebhookStore;
  /** Resolves with the job as its owner sees it, or with undefined if the job was removed. */
  readonly findJob: (scope: string, id: string) => Promise<ImageJob | undefined>;
  readonly post: PostWebhook;
  readonly settings: Pick<Config['server']['webhooks'], 'allowed_hosts'>;
  /** The keys of the signatures. */
  readonly keys: readonly Uint8Array[];
  readonly log: Pick<TraceLog, 'failure'>;
  readonly metrics: Pick<Metrics, 'webhookSent'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newFraction'>;
}

const TASK = 'webhooks';
// The wait after the store could not be read or written.
const RETRY_MS = 1000;
// Timers do not advance while the machine is suspended, and the end of a job with an unreadable request wakes nobody.
const LOOK_EVERY_MS = 60_000;
const MAX_SENDING = 32;
// Longer than an attempt, so that no webhook is sent twice at the same time.
const CLAIM_MS = TIMEOUT_MS + 5000;

/** Sends the ends of jobs to their receivers, with retries until a receiver accepts or no attempt is left. */
export function createWebhookDeliveries(deps: Deps) {
  const { store, findJob, post, settings, keys, log, metrics, clock, ids } = deps;
  const changes = createNotifier();
  // Each host has its own slots, so that a host that does not reply delays no other host.
  const slots = Math.ceil(MAX_SENDING / Math.max(1, settings.allowed_hosts.length));
  /** The attempts in progress, with their hosts. */
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
      // A webhook that cannot be put back is due again when its claim ends.
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
    /** Sends webhooks until it is stopped, and then waits for the attempts in progress. */
    task,
    /** Must be called when the end of a job is durable. */
    wake: changes.notify,
  };
}

/** Returns the JSON message about a job that has ended. */
function toBody(job: ImageJob): string {
  const timestamp = new Date((job.completed ?? job.updated) * 1000).toISOString();
  const type = `job.${job.status}` as WebhookMessage['type'];
  return JSON.stringify({ type, timestamp, data: job } satisfies WebhookMessage);
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** The waits after the first attempt, the second attempt and so on. The attempt after the last wait is the last attempt. */
const DELAYS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
];
const JITTER = 0.2;

// The receiver wants no further messages (RFC 9110, section 15.5.11).
const GONE = 410;

interface Attempted {
  /** The number of earlier attempts. */
  readonly attempts: number;
  /** The status of the reply. Undefined if none arrived in time. */
  readonly status: number | undefined;
  readonly nowMs: number;
  /** A random number from 0 to below 1 that selects the jitter of the next attempt. */
  readonly fraction: number;
}

/** Returns the state of a webhook after an attempt. A redirect counts as a failed attempt. */
export function toOutcome({ attempts, status, nowMs, fraction }: Attempted): WebhookOutcome {
  const lastStatus = status;
  if (status !== undefined && status >= 200 && status < 300) {
    return { state: 'delivered', lastStatus };
  }
  const delayMs = DELAYS_MS[attempts];
  if (status === GONE || delayMs === undefined) return { state: 'failed', lastStatus };
  const jitter = 1 + JITTER * (2 * fraction - 1);
  return { state: 'pending', lastStatus, dueMs: nowMs + Math.round(delayMs * jitter) };
}
