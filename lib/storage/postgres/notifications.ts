import { Client } from 'pg';
import * as v from 'valibot';
import { STAGES } from '../../contract/reply/stream-events.ts';
import type { JobNotice, JobNotices } from '../../jobs/job-notices-port.ts';
import { abortable } from '../../platform/abortable.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { parseJson } from '../../platform/parse-json.ts';
import type { WakeUps } from './waiting.ts';

interface Options {
  /**
   * A connection URL (https://www.postgresql.org/docs/current/libpq-connect.html). A pooler that assigns a connection to each
   * transaction delivers no notifications.
   */
  readonly url: string;
  /** The name of the schema, which is also the name of the channel. */
  readonly schema: string;
  /** The id of this replica. */
  readonly owner: string;
  /** `notify` if a session listens for notifications, `poll` if the store is only read regularly. */
  readonly wakeups: 'notify' | 'poll';
  readonly pollMs: number;
  readonly clock: Clock;
  /** Reports that the listening session was lost. Called once until the session listens again. */
  readonly onFailure: (error: unknown) => void;
}

// A failover that closes no connection leaves a session without notifications. The check finds such a session.
const CHECK_EVERY_MS = 5000;
const CHECK_LIMIT_MS = 2000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;

const Id = v.object({ id: v.string() });
const Notice = v.variant('type', [
  v.object({ type: v.literal('queued'), count: v.number(), ownCount: v.optional(v.number(), 0) }),
  v.object({ type: v.picklist(['paused', 'resumed']) }),
  v.object({ type: v.literal('changed'), scope: v.exactOptional(v.string()) }),
  v.object({ type: v.literal('cancelling'), ...Id.entries }),
  v.object({ type: v.literal('ended'), ...Id.entries }),
  v.object({
    type: v.literal('advanced'),
    job: v.object({ ...Id.entries, scope: v.string(), sequence: v.number() }),
  }),
  v.object({
    type: v.literal('happened'),
    ...Id.entries,
    event: v.variant('type', [
      v.object({
        type: v.literal('progress'),
        stage: v.picklist(STAGES),
        index: v.exactOptional(v.number()),
      }),
      v.object({
        type: v.literal('partial_image'),
        index: v.number(),
        partial_index: v.number(),
        width: v.number(),
        height: v.number(),
      }),
    ]),
  }),
]);
const Sender = v.object({ from: v.string() });
const WakeUp = v.object({ topic: v.string() });

/** Returns the payload of a notice that this replica has already published to its own subscribers. */
export function toOwnPayload(notice: JobNotice, owner: string): string {
  return JSON.stringify({ ...notice, from: owner });
}

export type Notifications = ReturnType<typeof createNotifications>;

/**
 * Publishes the notifications of the channel as notices, until `close` is called. The payload of a notification is a notice in
 * JSON. Publishes `missed` after each connection, because notifications may have been lost, and every `pollMs`.
 */
export function createNotifications(options: Options) {
  const { schema, owner, wakeups, pollMs, clock } = options;
  const subscribers = new Set<(notice: JobNotice) => void>();
  const topics = createTopics(schema);
  const closing = new AbortController();
  let cancelPoll = () => {};

  const notices: JobNotices = {
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
  };

  function publish(notice: JobNotice): void {
    for (const subscriber of subscribers) subscriber(notice);
    if (notice.type === 'missed') topics.wakeAll();
  }

  function receive(payload: string): void {
    const value = parseJson(payload);
    if (v.is(WakeUp, value)) topics.wake(value.topic);
    const notice = toNotice(value, owner);
    if (notice) publish(notice);
  }

  function poll(): void {
    cancelPoll = clock.after(pollMs, () => {
      publish({ type: 'missed' });
      poll();
    });
  }

  poll();
  const listening =
    wakeups === 'notify'
      ? listen(options, { receive, publish, signal: closing.signal })
      : Promise.resolve();
  return {
    notices,

    wakeUps: topics.wakeUps,

    /** Publishes a notice to the subscribers of this process. */
    publish,

    /** Resolves when no timer and no session is left. */
    async close(): Promise<void> {
      closing.abort();
      cancelPoll();
      await listening;
    },
  };
}

/** Creates the waits for changes that are not about jobs. A topic without a reader costs nothing. */
function createTopics(schema: string) {
  const readers = new Map<string, Set<() => void>>();

  function wake(topic: string): void {
    for (const reader of readers.get(topic) ?? []) reader();
  }

  const wakeUps: WakeUps = {
    async send({ rows }, topic) {
      await rows('SELECT pg_notify($1, $2)', wakeUps.argumentsOf(topic));
    },
    argumentsOf: (topic) => [schema, JSON.stringify({ topic })],
    listen(topic, reader) {
      const ofTopic = readers.get(topic) ?? new Set();
      readers.set(topic, ofTopic.add(reader));
      return () => {
        ofTopic.delete(reader);
        if (ofTopic.size === 0 && readers.get(topic) === ofTopic) readers.delete(topic);
      };
    },
  };
  return {
    wakeUps,
    wake,
    wakeAll(): void {
      for (const topic of readers.keys()) wake(topic);
    },
  };
}

/** Returns undefined for a notice that this replica has sent to itself, or that a newer version of the program has sent. */
function toNotice(value: unknown, owner: string): JobNotice | undefined {
  const isOwn = v.is(Sender, value) && value.from === owner;
  const parsed = v.safeParse(Notice, value);
  return parsed.success && !isOwn ? parsed.output : undefined;
}

interface Listener {
  receive(payload: string): void;
  publish(notice: JobNotice): void;
  readonly signal: AbortSignal;
}

/** Listens until the signal aborts, with a new session whenever the previous session is lost. */
async function listen(options: Options, listener: Listener): Promise<void> {
  const { clock, onFailure } = options;
  const { signal } = listener;
  let waitMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      await holdSession(options, listener, () => {
        waitMs = FIRST_RETRY_MS;
        listener.publish({ type: 'missed' });
      });
    } catch (error) {
      if (signal.aborted) return;
      if (waitMs === FIRST_RETRY_MS) onFailure(error);
      await sleep(clock, waitMs, signal).catch(() => {});
      waitMs = Math.min(waitMs * 2, LAST_RETRY_MS);
    }
  }
}

/** Rejects when the session is lost or the signal aborts. */
async function holdSession(
  { url, schema, clock }: Options,
  { receive, signal }: Listener,
  onListening: () => void,
): Promise<never> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CHECK_LIMIT_MS,
    keepAlive: true,
  });
  const lost = new AbortController();
  const until = AbortSignal.any([signal, lost.signal]);
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort(new Error('the server closed the listening session')));
  client.on('notification', ({ payload = '' }) => receive(payload));
  try {
    await abortable(client.connect(), until);
    await ask(client, `LISTEN "${schema}"`, until);
    onListening();
    for (;;) {
      await sleep(clock, CHECK_EVERY_MS, until);
      await ask(client, 'SELECT 1', until);
    }
  } finally {
    // Closes the socket at once if a statement was not answered.
    client.end().catch(() => {});
  }
}

/** Runs a statement that the server must answer in time. */
function ask(client: Client, text: string, until: AbortSignal): Promise<unknown> {
  // The types of the package lack this option (https://node-postgres.com/apis/client).
  const limited = { text, query_timeout: CHECK_LIMIT_MS };
  return abortable(client.query(limited), until);
}
