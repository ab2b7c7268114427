import { createHmac } from 'node:crypto';
import type { Permits } from '../admission/permits-port.ts';
import type { Config } from '../config/settings/settings.ts';
import { isLoopbackHost } from '../config/values/addresses.ts';
import type { ImageJob } from '../contract/resources/job.ts';
import type { WebhookHeaders, WebhookMessage } from '../contract/resources/job-events.ts';
import { toBridgeError } from '../errors/bridge-error.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { isAllowedAddress } from '../net/allowed-address.ts';
import { createPinnedClients, type PinnedDeps } from '../net/pinned-client.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import { createNotifier } from '../platform/notifier.ts';
import type { Task } from '../platform/task.ts';
import { createHostSlots } from './host-slots.ts';
import type { DueWebhook, WebhookOutcome, WebhookStore } from './webhook-store-port.ts';
import { hostOf, toWebhookUrl } from './webhook-targets.ts';

interface Deps {
  readonly store: WebhookStore;
  readonly jobs: {
    /** Resolves with the job as its owner sees it, without waiting. Throws `not_found` if the job was removed. */
    find(scope: string, id: string, waitMs: 0, signal: AbortSignal): Promise<ImageJob>;
  };
  readonly post: PostWebhook;
  /** The slots of all replicas. Undefined if the limits hold for this process alone. */
  readonly permits: Permits | undefined;
  readonly settings: Pick<Config['server']['webhooks'], 'allowed_hosts'>;
  /** The keys with which messages are signed. */
  readonly keys: readonly Uint8Array[];
  readonly log: Pick<TraceLog, 'failure'>;
  readonly metrics: Pick<Metrics, 'webhookSent'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newFraction'>;
}

const TASK = 'webhooks';
// The wait after a read or a write of the store has failed.
const RETRY_MS = 1000;
// The queues are read at least this often, because timers do not advance while the machine is suspended.
const LOOK_EVERY_MS = 60_000;
const MAX_SENDING = 32;
// The timeout of a whole attempt: name lookup, connection and the head of the reply.
const TIMEOUT_MS = 15_000;
// The time after a claim within which an attempt must begin. A busy store can take seconds to claim a webhook and to read its job.
const LATEST_START_MS = 5000;
// The duration of a claim. A claim lasts until the latest attempt is recorded, so that no webhook is sent twice at the same time.
const CLAIM_MS = LATEST_START_MS + TIMEOUT_MS + 5000;

/** Sends a webhook when a job ends, and retries until the receiver accepts the webhook or no attempt is left. */
export function createWebhookDeliveries(deps: Deps) {
  const { store, permits, settings, log, clock } = deps;
  const attempt = createAttempt(deps);
  const changes = createNotifier();
  const limit = Math.ceil(MAX_SENDING / Math.max(1, settings.allowed_hosts.length));
  const slots = createHostSlots({ permits, limit, onFree: changes.notify });
  /** The attempts in progress. */
  const sending = new Set<Promise<void>>();

  async function send(due: DueWebhook, claimedMs: number, signal: AbortSignal): Promise<void> {
    try {
      await attempt(due, claimedMs, signal);
    } catch (thrown) {
      // A webhook that cannot be put back is due again when its claim ends.
      if (signal.aborted) await store.putBack(due.sequence, clock.nowMs()).catch(() => {});
      else log.failure(thrown, { task: TASK });
    }
  }

  async function sendDue(host: string, signal: AbortSignal): Promise<void> {
    const releases = [...(await slots.take(host, signal))];
    if (releases.length === 0) return;
    try {
      const nowMs = clock.nowMs();
      const request = { host, nowMs, untilMs: nowMs + CLAIM_MS, limit: releases.length };
      for (const due of await store.claim(request)) {
        const release = releases.pop();
        const sent = send(due, nowMs, signal).finally(() => {
          sending.delete(sent);
          release?.();
        });
        sending.add(sent);
      }
    } finally {
      for (const release of releases) release();
    }
  }

  async function sendAll(signal: AbortSignal, succeeded: () => void): Promise<void> {
    while (!signal.aborted) {
      const nowMs = clock.nowMs();
      const queues = (await store.listQueues()).filter(({ host }) => slots.hasRoom(host));
      // The stop has freed slots, which must not be used again.
      if (signal.aborted) return;
      const due = queues.filter(({ dueMs }) => dueMs <= nowMs);
      await Promise.all(due.map(({ host }) => sendDue(host, signal)));
      if (due.length > 0) continue;
      succeeded();
      const lookMs = Math.min(nowMs + LOOK_EVERY_MS, ...queues.map(({ dueMs }) => dueMs));
      const cancel = clock.after(lookMs - clock.nowMs(), changes.notify);
      await changes.wait();
      cancel();
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
        await Promise.all(sending);
      }
    },
  };

  return {
    /** Sends webhooks until the task is stopped. The task then waits for the attempts in progress. */
    task,
    /** Must be called when the end of a job is durable. */
    wake: changes.notify,
  };
}

/** Creates the function that sends a claimed webhook once, and records the outcome. */
function createAttempt(deps: Deps) {
  const { store, jobs, log, metrics, clock, ids } = deps;
  const postEnd = createPostEnd(deps);
  return async function attempt(
    due: DueWebhook,
    claimedMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { sequence, attempts } = due;
    const job = await jobs.find(due.scope, due.jobId, 0, signal).catch((thrown) => {
      if (toBridgeError(thrown).code === 'not_found') return undefined;
      log.failure(thrown, { task: TASK });
      return 'unreadable' as const;
    });
    // The webhook of a late attempt is due again when its claim ends.
    if (!job || clock.nowMs() > claimedMs + LATEST_START_MS) return;
    // An unreadable job counts as a failed attempt, because otherwise its webhook would be due again forever.
    signal.throwIfAborted();
    const status = job === 'unreadable' ? undefined : await postEnd(job, due.url, signal);
    const at = { nowMs: clock.nowMs(), fraction: ids.newFraction() };
    const outcome = toOutcome({ attempts, status, ...at });
    await store.settle(sequence, outcome);
    metrics.webhookSent(outcome.state === 'pending' ? 'retried' : outcome.state);
  };
}

function createPostEnd({ post, keys, clock }: Pick<Deps, 'post' | 'keys' | 'clock'>) {
  return function postEnd(job: ImageJob, url: string, signal: AbortSignal) {
    const body = toBody(job);
    const headers = signWebhook({ id: job.id, timestampSecs: nowSecs(clock), body }, keys);
    return post(url, { headers, body }, signal);
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
  /** The status of the reply. Undefined if no reply arrived in time. */
  readonly status: number | undefined;
  readonly nowMs: number;
  /** A random number, at least 0 and less than 1, that selects the jitter of the next attempt. */
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

interface SignedMessage {
  /** The id of the message. Every attempt has the same id, so that receivers can ignore duplicates. */
  readonly id: string;
  /** The time of this attempt, in Unix seconds. */
  readonly timestampSecs: number;
  readonly body: string;
}

/** Returns the headers that Standard Webhooks 1.0 requires, with one signature for each key. */
export function signWebhook(
  { id, timestampSecs, body }: SignedMessage,
  keys: readonly Uint8Array[],
): WebhookHeaders {
  const signed = `${id}.${timestampSecs}.${body}`;
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSecs),
    'webhook-signature': signatures.join(' '),
  };
}

interface PostDeps extends PinnedDeps {
  readonly settings: Pick<Config['server']['webhooks'], 'allowed_hosts' | 'allow_private_networks'>;
  readonly clock: Pick<Clock, 'after'>;
}

interface SentMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'image-bridge' };

/**
 * Sends a webhook and resolves with the HTTP status of the reply. The body of the reply is not read, and redirects are not
 * followed. Resolves with undefined if no reply arrives in time, or if the address is no longer allowed. Throws the reason of the
 * signal if the signal aborts.
 */
export type PostWebhook = (
  url: string,
  message: SentMessage,
  signal: AbortSignal,
) => Promise<number | undefined>;

/**
 * Creates a function that sends webhooks to the hosts allowed by the operator. Connections are pinned to checked IP addresses.
 */
export function createPostWebhook({ settings, clock, ...pinned }: PostDeps): PostWebhook {
  const { allowed_hosts, allow_private_networks } = settings;
  const openPinned = createPinnedClients(pinned);

  async function post(text: string, { headers, body }: SentMessage, signal: AbortSignal) {
    const checked = toWebhookUrl(text, allowed_hosts);
    if (!checked.ok) return undefined;
    const { url } = checked;
    // A loopback name must resolve to a loopback address, and any other name must not. This check prevents DNS rebinding.
    const isAllowed = isLoopbackHost(hostOf(url))
      ? isLoopbackHost
      : (address: string) =>
          isAllowedAddress(address, allow_private_networks) && !isLoopbackHost(address);
    const opened = await openPinned(url.hostname, isAllowed, signal);
    if (!opened.ok) return undefined;
    try {
      const sent = { method: 'POST', headers: { ...HEADERS, ...headers }, body, signal } as const;
      return (await opened.client.request(url.href, sent)).status;
    } finally {
      await opened.client.close();
    }
  }

  return async function postWebhook(url, message, signal) {
    signal.throwIfAborted();
    const within = linkSignal(signal);
    const cancel = clock.after(TIMEOUT_MS, () => within.abort(new Error('the webhook timed out')));
    try {
      return await post(url, message, within.signal);
    } catch {
      // Every failure of the receiver or of the network counts as an attempt.
      signal.throwIfAborted();
      return undefined;
    } finally {
      cancel();
      within.end();
    }
  };
}
