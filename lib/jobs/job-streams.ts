import type { RequestContext } from '../contract/request/request-context.ts';
import { type ImageJob, isTerminal } from '../contract/resources/job.ts';
import type { JobEvent, JobFeedEvent } from '../contract/resources/job-events.ts';
import { invalidField } from '../contract/schema/issues.ts';
import { createSealedCursors } from '../cursors/sealed-cursor.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { createNotifier, type Notifier } from '../platform/notifier.ts';
import { foundJob } from './job-end.ts';
import type { JobStore, JobSummary } from './job-store-port.ts';
import { toImageJob, toImageJobSummary } from './job-views.ts';
import type { JobNotice, JobProgressEvent, LiveJobs } from './live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'list' | 'summaries' | 'changes' | 'nextChange'>;
  readonly live: Pick<LiveJobs, 'progress' | 'subscribe' | 'isOver'>;
  readonly secret: Uint8Array;
}

/** An event with its id, or an id without an event. */
interface Identified<E> {
  readonly id: string;
  readonly event?: E;
}

const POSITION_BYTES = 8;

export type JobStreams = ReturnType<typeof createJobStreams>;

/**
 * Serves streams of job events. A stream ends when its client disconnects or the bridge stops, and throws
 * `authentication_required` when its token is revoked.
 */
export function createJobStreams({ store, live, secret }: Deps) {
  const cursors = createSealedCursors(secret);
  const openReader = createStreamReaders(live);
  const nextChange = createSharedChanges(store, live);
  const jobFeed = createJobFeed({ store: { ...store, nextChange }, live });

  function toId(scope: string, position: number): string {
    const bytes = Buffer.alloc(POSITION_BYTES);
    bytes.writeBigUInt64BE(BigInt(position));
    return cursors.write(['job events', scope], bytes);
  }

  async function readJob(scope: string, id: string) {
    return toImageJob(foundJob(await store.find(scope, id)), live.progress(id));
  }

  /** Returns the position where a reader of the feed begins. Throws `invalid_request` if the reader would miss an event. */
  async function startOf(scope: string, lastEventId: string | undefined) {
    const { latest, oldestToResume } = await store.changes(scope);
    // A browser sends an empty id before it has received one.
    if (!lastEventId) return { latest };
    const resumed = cursors.open(['job events', scope], lastEventId)?.readBigUInt64BE();
    if (resumed === undefined || resumed < oldestToResume || resumed > latest) {
      throw invalidField(
        'last-event-id',
        'invalid_cursor',
        'is not the id of a recent event of these jobs: leave it out and list the jobs again',
      );
    }
    return { latest, resumed: Number(resumed) };
  }

  return {
    /** Resolves with the present state of a job, then its events, then its end. Throws `not_found`, `rate_limited`. */
    async ofJob(id: string, context: StreamContext): Promise<AsyncIterable<Identified<JobEvent>>> {
      const news = createJobNews(id);
      // The subscription begins before the job is read, because the job may end in between.
      const reader = openReader(context, news.note);
      const read = () => readJob(context.scope, id);
      try {
        return numbered(jobStream(await read(), read, news, reader), reader);
      } catch (error) {
        reader.close();
        throw error;
      }
    },

    /**
     * Resolves with the changes of the jobs of a scope, resumed after `lastEventId`. The first item is an id without an event:
     * a client that resumes from this id misses no later event. Throws `invalid_request`, `rate_limited`.
     */
    async ofScope(
      context: StreamContext,
      lastEventId?: string,
    ): Promise<AsyncIterable<Identified<JobFeedEvent>>> {
      const { scope } = context;
      const advanced = createAdvancedJobs(scope);
      const reader = openReader(context, advanced.note);
      try {
        const start = await startOf(scope, lastEventId);
        const items = jobFeed(scope, start, advanced, reader);
        return identified(items, reader, (at) => toId(scope, at));
      } catch (error) {
        reader.close();
        throw error;
      }
    },
  };
}

/** Numbers the events of one job. The ids cannot resume a stream, which always begins with the present state of its job. */
async function* numbered<E>(
  events: AsyncGenerator<E>,
  { refuseRevoked }: StreamReader,
): AsyncGenerator<Identified<E>> {
  let count = 0;
  for await (const event of events) {
    refuseRevoked();
    count += 1;
    yield { id: String(count), event };
  }
}

async function* identified(
  items: AsyncGenerator<FeedItem>,
  { refuseRevoked }: StreamReader,
  toId: (position: number) => string,
): AsyncGenerator<Identified<JobFeedEvent>> {
  for await (const { position, ...item } of items) {
    refuseRevoked();
    yield { id: toId(position), ...item };
  }
}

/** Collects the unread events of one job: the latest progress and the latest partial image of each output. */
function createJobNews(id: string) {
  const news = new Map<string, JobProgressEvent>();
  let hasEnded = false;
  return {
    /** Returns true if the notice is about this job. */
    note(notice: JobNotice): boolean {
      if (notice.type === 'ended' && notice.id === id) hasEnded = true;
      else if (notice.type === 'happened' && notice.id === id) {
        const { type, index } = notice.event;
        const subject = `${type} ${index}`;
        // Moves to the end, because events are read in the order in which they happened.
        news.delete(subject);
        news.set(subject, notice.event);
      } else return false;
      return true;
    },
    next(): JobProgressEvent | undefined {
      for (const [subject, event] of news) {
        news.delete(subject);
        return event;
      }
      return undefined;
    },
    hasEnded: () => hasEnded,
  };
}

/** Yields the events of one job, from its present state to its end. If this process stops first, the end is missing. */
async function* jobStream(
  first: ImageJob,
  read: () => Promise<ImageJob>,
  news: Pick<ReturnType<typeof createJobNews>, 'next' | 'hasEnded'>,
  reader: StreamReader,
): AsyncGenerator<JobEvent> {
  try {
    yield { type: 'snapshot', job: first };
    if (isTerminal(first.status)) {
      yield { type: 'ended', job: first };
      return;
    }
    for (;;) {
      const event = news.next();
      if (event) yield event;
      else if (news.hasEnded()) {
        const job = await read();
        // A stopping process may have stopped the work without ending the job.
        if (isTerminal(job.status)) yield { type: 'ended', job };
        return;
      } else if (reader.isOver()) return;
      else await reader.wait();
    }
  } finally {
    reader.close();
  }
}

interface FeedDeps {
  readonly store: Pick<JobStore, 'list' | 'changes' | 'nextChange' | 'summaries'>;
  readonly live: Pick<LiveJobs, 'progress'>;
}

/** An event, and the number of the change up to which its reader knows every job of the scope. */
interface FeedItem {
  readonly position: number;
  /** Absent if the item only reports the position. */
  readonly event?: JobFeedEvent;
}

/** Collects the sequences of jobs of one scope with unread progress. */
function createAdvancedJobs(scope: string) {
  const advanced = new Set<number>();
  return {
    /** Returns true if the reader may have something to read. For a `stored` notice, only the store knows whose jobs changed. */
    note(notice: JobNotice): boolean {
      if (notice.type !== 'advanced') return notice.type === 'stored';
      const { job } = notice;
      if (job.scope === scope) advanced.add(job.sequence);
      return job.scope === scope;
    },
    next(): number | undefined {
      const [sequence] = advanced;
      if (sequence !== undefined) advanced.delete(sequence);
      return sequence;
    },
    remove: (sequence: number) => void advanced.delete(sequence),
  };
}

/**
 * Yields the jobs of a scope as they change: first the active jobs, then every job that changed after the position `resumed`,
 * or after the present one, without end. The store is the only backlog. A job is read only after the reader has taken the
 * previous one. A slow reader therefore gets each job in its present state, and nothing waits in memory.
 */
function createJobFeed({ store, live }: FeedDeps) {
  const toEvent = (job: JobSummary, snapshot: boolean): JobFeedEvent => ({
    type: 'job',
    snapshot,
    job: toImageJobSummary(job, live.progress(job.id)),
  });

  /** Yields queued jobs before running ones, so that a job that starts in between is not missed. */
  async function* active(scope: string): AsyncGenerator<JobSummary> {
    for (const status of ['queued', 'running'] as const) {
      let last: JobSummary | undefined;
      do {
        const page = { limit: 1, ...(last ? { before: last.sequence } : {}) };
        [last] = (await store.list(scope, { status, visibility: 'active' }, page)).items;
        if (last) yield last;
      } while (last);
    }
  }

  return async function* jobFeed(
    scope: string,
    { latest, resumed = latest }: { readonly latest: number; readonly resumed?: number },
    advanced: Pick<ReturnType<typeof createAdvancedJobs>, 'next' | 'remove'>,
    reader: StreamReader,
  ): AsyncGenerator<FeedItem> {
    let position = resumed;
    try {
      yield { position };
      for await (const job of active(scope)) yield { position, event: toEvent(job, true) };
      for (;;) {
        const changed = await store.nextChange(scope, position);
        if (changed) {
          position = changed.change;
          const isSnapshot = position <= latest;
          if ('removedId' in changed) {
            yield { position, event: { type: 'removed', id: changed.removedId } };
          } else if (!isSnapshot || isTerminal(changed.job.status)) {
            advanced.remove(changed.job.sequence);
            yield { position, event: toEvent(changed.job, isSnapshot) };
          }
          continue;
        }
        const sequence = advanced.next();
        if (sequence === undefined) {
          if (reader.isOver()) return;
          await reader.wait();
          continue;
        }
        const [job] = await store.summaries(scope, [sequence]);
        if (job && !isTerminal(job.status)) yield { position, event: toEvent(job, false) };
      }
    } finally {
      reader.close();
    }
  };
}

type NextChange = JobStore['nextChange'];

interface Reading {
  readonly after: number;
  readonly change: ReturnType<NextChange>;
}

/**
 * Shares each `nextChange` of the store between all readers at the same position. A result is valid until the next `stored`
 * notice, which arrives here before it wakes any reader.
 */
export function createSharedChanges(
  store: Pick<JobStore, 'nextChange'>,
  live: Pick<LiveJobs, 'subscribe'>,
): NextChange {
  const readings = new Map<string, Reading>();
  live.subscribe(({ type }) => {
    if (type === 'stored') readings.clear();
  });

  return function nextChange(scope, after) {
    const known = readings.get(scope);
    if (known?.after === after) return known.change;
    const change = store.nextChange(scope, after);
    const reading = { after, change };
    readings.set(scope, reading);
    // A failed read is not shared with later calls.
    change.catch(() => {
      if (readings.get(scope) === reading) readings.delete(scope);
    });
    return change;
  };
}

/** The parts of a request's context that its event stream uses. */
type StreamContext = Pick<RequestContext, 'scope' | 'signal' | 'onReplied' | 'onRevoked'>;

/** One open stream: it waits for notices and counts towards the limit of its scope. */
interface StreamReader extends Pick<Notifier, 'wait'> {
  /** Throws `authentication_required` if the token of the stream has been revoked. */
  refuseRevoked(): void;
  /** Returns true if the client has disconnected, or if no job runs in this process any more. Throws as `refuseRevoked` does. */
  isOver(): boolean;
  /** Ends the subscription and frees the place of the stream. Called at the end of the stream and of its connection. */
  close(): void;
}

const MAX_STREAMS = 64;
// A retry is cheap, and the time when another stream ends is unknown.
const RETRY_AFTER_MS = 1000;

/** Opens streams: counts them for each scope, and subscribes them to notices. */
function createStreamReaders(live: Pick<LiveJobs, 'subscribe' | 'isOver'>) {
  const open = new Map<string, number>();

  function admit(scope: string): () => void {
    const count = open.get(scope) ?? 0;
    if (count >= MAX_STREAMS) throw tooMany();
    open.set(scope, count + 1);
    return () => {
      const left = (open.get(scope) ?? 1) - 1;
      if (left === 0) open.delete(scope);
      else open.set(scope, left);
    };
  }

  /**
   * Opens a reader, which is woken by each notice for which `onNotice` returns true. Throws `rate_limited` if the scope has the
   * maximum number of open streams.
   */
  return function openReader(
    { scope, signal: clientSignal, onReplied, onRevoked }: StreamContext,
    onNotice: (notice: JobNotice) => boolean,
  ): StreamReader {
    const release = admit(scope);
    const notifier = createNotifier();
    const signal = clientSignal();
    let isClosed = false;
    let isRevoked = false;
    const unsubscribe = live.subscribe((notice) => {
      if (onNotice(notice) || notice.type === 'over') notifier.notify();
    });
    const unwatch = onRevoked(() => {
      isRevoked = true;
      notifier.notify();
    });
    const refuseRevoked = () => {
      if (isRevoked) {
        throw new BridgeError('authentication_required', 'the token is not valid any more');
      }
    };
    const close = () => {
      if (isClosed) return;
      isClosed = true;
      release();
      unsubscribe();
      unwatch();
      signal.removeEventListener('abort', close);
      notifier.notify();
    };
    // The signal reports a client that disconnected before the reply. `onReplied` reports a reply that was sent without a body.
    signal.addEventListener('abort', close, { once: true });
    onReplied(close);
    if (signal.aborted) close();
    const isOver = () => {
      refuseRevoked();
      return isClosed || live.isOver();
    };
    return { wait: notifier.wait, refuseRevoked, isOver, close };
  };
}

function tooMany(): BridgeError {
  return new BridgeError('rate_limited', `${MAX_STREAMS} event streams of this token are open`, {
    details: { reason: 'too_many_streams', limit: MAX_STREAMS, retry_after_ms: RETRY_AFTER_MS },
  });
}
