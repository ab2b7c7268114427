import type { ImageJob } from '../contract/resources/job.ts';
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
const MAX_SENDING = 32;
// Nothing is sent twice at the same time: an attempt ends before.
const CLAIM_MS = TIMEOUT_MS + 5000;

/** Sends the ends of jobs, each until its receiver has taken it or the attempts are used up. */
export function createWebhookDeliveries(deps: Deps) {
  const { store, findJob, post, keys, log, metrics, clock, ids } = deps;
  const changes = createNotifier();
  const sending = new Set<Promise<void>>();

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

  async function sendDue(signal: AbortSignal): Promise<void> {
    const nowMs = clock.nowMs();
    const limit = MAX_SENDING - sending.size;
    for (const due of await store.claim({ nowMs, untilMs: nowMs + CLAIM_MS, limit })) {
      const sent = send(due, signal).finally(() => {
        sending.delete(sent);
        changes.notify();
      });
      sending.add(sent);
    }
  }

  async function untilChanged(dueMs: number | undefined): Promise<void> {
    const cancel =
      dueMs === undefined ? () => {} : clock.after(dueMs - clock.nowMs(), changes.notify);
    await changes.wait();
    cancel();
  }

  async function sendAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isFull = sending.size === MAX_SENDING;
      const dueMs = isFull ? undefined : await store.nextDueMs();
      if (dueMs !== undefined && dueMs <= clock.nowMs()) await sendDue(signal);
      else await untilChanged(dueMs);
    }
  }

  const task: Task = {
    name: TASK,
    everyMs: RETRY_MS,
    async run(signal) {
      signal.addEventListener('abort', changes.notify, { once: true });
      try {
        await sendAll(signal);
      } finally {
        signal.removeEventListener('abort', changes.notify);
        await Promise.all(sending);
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
  return JSON.stringify({ type: `job.${job.status}`, timestamp, data: job });
}
