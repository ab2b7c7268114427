import type { RequestContext } from '../contract/request/request-context.ts';
import { type ImageJob, isTerminal } from '../contract/resources/job.ts';
import type { JobEvent, JobFeedEvent } from '../contract/resources/job-events.ts';
import { invalidField } from '../contract/schema/issues.ts';
import { createSealedCursors } from '../cursors/sealed-cursor.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { createNotifier } from '../platform/notifier.ts';
import { foundJob } from './job-end.ts';
import { createFeedNews, createJobFeed, type FeedReads, shareReads } from './job-feed.ts';
import type { JobNotice, JobNotices, JobProgressEvent } from './job-notices-port.ts';
import type { JobStore } from './job-store-port.ts';
import type { JobWaits } from './job-waits.ts';
import { findProgress, toImageJob } from './jobs.ts';
import { createQueueNews, type QueueNews } from './queue-news.ts';

interface Deps extends FeedReads {
  readonly store: FeedReads['store'] & Pick<JobStore, 'find' | 'changes'>;
  readonly notices: JobNotices;
  readonly waits: Pick<JobWaits, 'onEnded' | 'whenOver'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly secret: Uint8Array;
}

/** An event with its id, or only an id without an event. */
interface Identified<E> {
  readonly id: string;
  readonly event?: E;
}

interface FeedOptions {
  readonly lastEventId?: string | undefined;
  readonly withQueue?: boolean | undefined;
}

export type JobStreams = ReturnType<typeof createJobStreams>;

/**
 * Serves streams of job events. A stream ends when its client disconnects or the bridge stops. A stream throws
 * `authentication_required` when the token of its client is revoked.
 */
export function createJobStreams(deps: Deps) {
  const { store, notices, progress, queue, waits, secret } = deps;
  const cursors = createSealedCursors(secret);
  const openReader = createStreamReaders(waits.whenOver);
  const jobFeed = createJobFeed(shareReads({ store, progress, queue }, notices));
  let lastId = { scope: '', position: -1, id: '' };

  function toId(scope: string, position: number): string {
    // All readers of a scope ask for the id of the same position, and sealing an id costs more than sending an event.
    if (lastId.scope !== scope || lastId.position !== position) {
      lastId = { scope, position, id: cursors.writeSequence(['job events', scope], position) };
    }
    return lastId.id;
  }

  async function readJob(scope: string, id: string) {
    const job = foundJob(await store.find(scope, id));
    return toImageJob(job, (await findProgress(progress, [job])).get(id));
  }

  /** Resolves with the position where a reader of the feed begins. Throws `invalid_request` if the reader would miss an event. */
  async function startOf(scope: string, lastEventId: string | undefined) {
    const { latest, oldestToResume } = await store.changes(scope);
    // A browser may send an empty id if it has not received an id yet.
    if (!lastEventId) return { latest };
    const resumed = cursors.openSequence(['job events', scope], lastEventId);
    if (resumed === undefined || resumed < oldestToResume || resumed > latest) {
      throw invalidField(
        'last-event-id',
        'invalid_cursor',
        'is not the id of a recent event of these jobs: omit the header and list the jobs again',
      );
    }
    return { latest, resumed };
  }

  return {
    /**
     * Resolves with a stream of the present state of a job, its events and its end, in this order. Throws `not_found`,
     * `rate_limited`.
     */
    async ofJob(id: string, context: StreamContext): Promise<AsyncIterable<Identified<JobEvent>>> {
      const news = createJobNews(id);
      // The subscription begins before the job is read, because an end between the read and a later subscription would be
      // missed.
      const reader = openReader(context, (wake) => [
        notices.subscribe((notice) => news.note(notice) && wake()),
        waits.onEnded(id, () => {
          news.end();
          wake();
        }),
      ]);
      const read = () => readJob(context.scope, id);
      try {
        let count = 0;
        return identified(jobStream(await read(), read, news, reader), reader, (event) => {
          // A stream cannot be resumed from these ids, because every stream begins with the present state of its job.
          count += 1;
          return { id: String(count), event };
        });
      } catch (error) {
        reader.close();
        throw error;
      }
    },

    /**
     * Resolves with a stream of the changes of the jobs in a scope, and of the queue if `withQueue` is true. The stream resumes
     * after the event `lastEventId`. The first item is an id without an event: a client that resumes from this id misses no later
     * event. Throws `invalid_request`, `rate_limited`.
     */
    async ofScope(
      context: StreamContext,
      { lastEventId, withQueue = false }: FeedOptions = {},
    ): Promise<AsyncIterable<Identified<JobFeedEvent>>> {
      const { scope } = context;
      const { news, reader } = openFeedReader(deps, openReader, context, withQueue);
      try {
        const start = await startOf(scope, lastEventId);
        const items = jobFeed(scope, start, news, reader);
        return identified(items, reader, ({ position, ...item }) => ({
          id: toId(scope, position),
          ...item,
        }));
      } catch (error) {
        reader.close();
        throw error;
      }
    },
  };
}

/** Opens the reader of a feed, which collects the unread news of the jobs and, if `withQueue` is true, of the queue. */
function openFeedReader(
  { notices, clock }: Pick<Deps, 'notices' | 'clock'>,
  openReader: ReturnType<typeof createStreamReaders>,
  context: StreamContext,
  withQueue: boolean,
) {
  const jobs = createFeedNews(context.scope);
  let queue: QueueNews | undefined;
  const reader = openReader(context, (wake) => {
    const ofQueue = withQueue ? createQueueNews(clock, wake) : undefined;
    queue = ofQueue;
    const unsubscribe = notices.subscribe((notice) => {
      const isOfJobs = jobs.note(notice);
      if (ofQueue?.note(notice) || isOfJobs) wake();
    });
    return [unsubscribe, ...(ofQueue ? [ofQueue.close] : [])];
  });
  return { news: { jobs, queue }, reader };
}

/** Yields the items with the ids that `toId` returns. Throws `authentication_required` after the token has been revoked. */
async function* identified<I extends object, E>(
  items: AsyncGenerator<I>,
  { refuseRevoked }: StreamReader,
  toIdentified: (item: I) => Identified<E>,
): AsyncGenerator<Identified<E>> {
  for await (const item of items) {
    refuseRevoked();
    yield toIdentified(item);
  }
}

/** Collects the unread events of one job: the latest progress and the latest partial image of each output. */
function createJobNews(id: string) {
  const news = new Map<string, JobProgressEvent>();
  let hasEnded = false;
  return {
    /** Returns true if the notice is an event of this job. */
    note(notice: JobNotice): boolean {
      if (notice.type !== 'happened' || notice.id !== id) return false;
      const { type, index } = notice.event;
      const subject = `${type} ${index}`;
      // Moves the subject to the end of the map, because events are read in the order in which they happened.
      news.delete(subject);
      news.set(subject, notice.event);
      return true;
    },
    /** Must be called when the end of the job is durable. */
    end(): void {
      hasEnded = true;
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

/**
 * Yields the events of one job, from its present state to its end. If this process stops before the job ends, the stream ends
 * without an `ended` event. The job is read when this process stops, because the notice of its end may not have arrived yet.
 */
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
      else if (reader.isClosed()) return;
      else if (news.hasEnded() || reader.isOver()) {
        const job = await read();
        if (isTerminal(job.status)) yield { type: 'ended', job };
        return;
      } else await reader.wait();
    }
  } finally {
    reader.close();
  }
}

/** The parts of a request's context that an event stream uses. */
type StreamContext = Pick<RequestContext, 'scope' | 'signal' | 'onReplied' | 'onRevoked'>;

/** The reader of one open stream. The reader waits for notices, and its stream counts towards the limit of the scope. */
type StreamReader = ReturnType<ReturnType<typeof createStreamReaders>>;

const MAX_STREAMS = 64;
// The delay is short because a retry is cheap and the time when another stream ends is unknown.
const RETRY_AFTER_MS = 1000;

/** Opens streams: counts them for each scope, and subscribes them to notices. */
function createStreamReaders(whenOver: AbortSignal) {
  const open = new Map<string, number>();

  function admit(scope: string): () => void {
    const count = open.get(scope) ?? 0;
    if (count >= MAX_STREAMS) {
      throw new BridgeError(
        'rate_limited',
        `${MAX_STREAMS} event streams of this token are open; close a stream before you open another`,
        {
          details: {
            reason: 'too_many_streams',
            limit: MAX_STREAMS,
            retry_after_ms: RETRY_AFTER_MS,
          },
        },
      );
    }
    open.set(scope, count + 1);
    return () => {
      const left = (open.get(scope) ?? 1) - 1;
      if (left === 0) open.delete(scope);
      else open.set(scope, left);
    };
  }

  /**
   * Opens a reader. `subscribe` receives the function that wakes the reader, and returns the functions that end its
   * subscriptions. Throws `rate_limited` if the scope has the maximum number of open streams.
   */
  return function openReader(
    { scope, signal: clientSignal, onReplied, onRevoked }: StreamContext,
    subscribe: (wake: () => void) => readonly (() => void)[],
  ) {
    const release = admit(scope);
    const notifier = createNotifier();
    const signal = clientSignal();
    let isClosed = false;
    let isRevoked = false;
    const subscriptions = subscribe(notifier.notify);
    whenOver.addEventListener('abort', notifier.notify, { once: true });
    const unwatch = onRevoked(() => {
      isRevoked = true;
      notifier.notify();
    });
    /** Throws `authentication_required` if the token of the stream has been revoked. */
    function refuseRevoked(): void {
      if (!isRevoked) return;
      throw new BridgeError('authentication_required', 'the token is no longer valid');
    }
    /**
     * Ends the subscription, so that the stream no longer counts towards the limit. Called at the end of the stream and at the end
     * of its connection.
     */
    function close(): void {
      if (isClosed) return;
      isClosed = true;
      release();
      for (const unsubscribe of subscriptions) unsubscribe();
      whenOver.removeEventListener('abort', notifier.notify);
      unwatch();
      signal.removeEventListener('abort', close);
      notifier.notify();
    }
    // The signal reports a client that disconnected before the reply. `onReplied` reports a reply that was sent without a body.
    signal.addEventListener('abort', close, { once: true });
    onReplied(close);
    if (signal.aborted) close();
    return {
      wait: notifier.wait,
      refuseRevoked,
      /** Returns true if the client has disconnected. Throws the same error as `refuseRevoked`. */
      isClosed(): boolean {
        refuseRevoked();
        return isClosed;
      },
      /** Returns true if this process no longer runs any job. */
      isOver: () => whenOver.aborted,
      close,
    };
  };
}
