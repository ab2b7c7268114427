import type { RequestContext } from '../contract/request/request-context.ts';
import { type ImageJob, isTerminal } from '../contract/resources/job.ts';
import type { JobEvent, JobFeedEvent } from '../contract/resources/job-events.ts';
import { invalidField } from '../contract/schema/issues.ts';
import { createSealedCursors } from '../cursors/sealed-cursor.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { createNotifier } from '../platform/notifier.ts';
import { foundJob } from './job-end.ts';
import type { JobStore, JobSummary } from './job-store-port.ts';
import { toImageJob, toImageJobSummary } from './jobs.ts';
import type { JobNotice, JobProgressEvent, LiveJobs } from './live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'list' | 'summaries' | 'changes' | 'nextChange'>;
  readonly live: Pick<LiveJobs, 'progress' | 'subscribe' | 'isOver'>;
  readonly secret: Uint8Array;
}

/** An event with its id, or only an id without an event. */
interface Identified<E> {
  readonly id: string;
  readonly event?: E;
}

const POSITION_BYTES = 8;

export type JobStreams = ReturnType<typeof createJobStreams>;

/**
 * Serves streams of job events. A stream ends when its client disconnects or the bridge stops. A stream throws
 * `authentication_required` when the token of its client is revoked.
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
    // A browser may send an empty id if it has not received an id yet.
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
    /**
     * Resolves with a stream of the present state of a job, its events and its end, in this order. Throws `not_found`,
     * `rate_limited`.
     */
    async ofJob(id: string, context: StreamContext): Promise<AsyncIterable<Identified<JobEvent>>> {
      const news = createJobNews(id);
      // The subscription begins before the job is read, because an end between the read and a later subscription would be
      // missed.
      const reader = openReader(context, news.note);
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
     * Resolves with a stream of the changes of the jobs in a scope. The stream resumes after the event `lastEventId`. The first
     * item is an id without an event: a client that resumes from this id misses no later event. Throws `invalid_request`,
     * `rate_limited`.
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
    /** Returns true if the notice is about this job. */
    note(notice: JobNotice): boolean {
      if (notice.type === 'ended' && notice.id === id) hasEnded = true;
      else if (notice.type === 'happened' && notice.id === id) {
        const { type, index } = notice.event;
        const subject = `${type} ${index}`;
        // Moves the subject to the end of the map, because events are read in the order in which they happened.
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

/**
 * Yields the events of one job, from its present state to its end. If this process stops before the job ends, the stream ends
 * without an `ended` event.
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
      else if (news.hasEnded()) {
        const job = await read();
        // A process that stops may have stopped the work without ending the job.
        if (isTerminal(job.status)) yield { type: 'ended', job };
        return;
      } else if (reader.isOver()) return;
      else await reader.wait();
    }
  } finally {
    reader.close();
  }
}

/** An event and a position. The position is the number of the latest change of the scope that the reader has received. */
interface FeedItem {
  readonly position: number;
  /** Absent if the item only reports the position. */
  readonly event?: JobFeedEvent;
}

/** Collects the sequences of the jobs in one scope that have unread progress. */
function createAdvancedJobs(scope: string) {
  const advanced = new Set<number>();
  return {
    /**
     * Returns true if the reader may have something to read. A `stored` notice does not name the changed jobs, so the reader must
     * always read the store.
     */
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
 * Creates the feed of the jobs in a scope. The feed yields first the active jobs, then every job that changes after the position
 * `resumed`, or after the present position by default. A job is read from the store only after the reader has taken the previous
 * job. A slow reader therefore gets each job in its present state, and no events wait in memory.
 */
function createJobFeed({ store, live }: Pick<Deps, 'store' | 'live'>) {
  const toEvent = (job: JobSummary, snapshot: boolean): JobFeedEvent => ({
    type: 'job',
    snapshot,
    job: toImageJobSummary(job, live.progress(job.id)),
  });

  /** Yields queued jobs before running jobs. In the opposite order, a job that starts between the two lists would be missed. */
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

/**
 * Shares each `nextChange` of the store between all readers at the same position. A result is valid until the next `stored`
 * notice. This function receives each notice before any reader does.
 */
export function createSharedChanges(
  store: Pick<JobStore, 'nextChange'>,
  live: Pick<LiveJobs, 'subscribe'>,
): NextChange {
  const readings = new Map<string, { after: number; change: ReturnType<NextChange> }>();
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

/** The parts of a request's context that an event stream uses. */
type StreamContext = Pick<RequestContext, 'scope' | 'signal' | 'onReplied' | 'onRevoked'>;

/** The reader of one open stream. The reader waits for notices, and its stream counts towards the limit of the scope. */
type StreamReader = ReturnType<ReturnType<typeof createStreamReaders>>;

const MAX_STREAMS = 64;
// The delay is short because a retry is cheap and the time when another stream ends is unknown.
const RETRY_AFTER_MS = 1000;

/** Opens streams: counts them for each scope, and subscribes them to notices. */
function createStreamReaders(live: Pick<LiveJobs, 'subscribe' | 'isOver'>) {
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
   * Opens a reader. Each notice for which `onNotice` returns true wakes the reader. Throws `rate_limited` if the scope has the
   * maximum number of open streams.
   */
  return function openReader(
    { scope, signal: clientSignal, onReplied, onRevoked }: StreamContext,
    onNotice: (notice: JobNotice) => boolean,
  ) {
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
    /** Throws `authentication_required` if the token of the stream has been revoked. */
    function refuseRevoked(): void {
      if (!isRevoked) return;
      throw new BridgeError('authentication_required', 'the token is not valid any more');
    }
    /**
     * Ends the subscription, so that the stream no longer counts towards the limit. Called at the end of the stream and at the end
     * of its connection.
     */
    function close(): void {
      if (isClosed) return;
      isClosed = true;
      release();
      unsubscribe();
      unwatch();
      signal.removeEventListener('abort', close);
      notifier.notify();
    }
    // The signal reports a client that disconnected before the reply. `onReplied` reports a reply that was sent without a body.
    signal.addEventListener('abort', close, { once: true });
    onReplied(close);
    if (signal.aborted) close();
    /**
     * Returns true if the client has disconnected, or if this process no longer runs any job. Throws the same error as
     * `refuseRevoked`.
     */
    function isOver(): boolean {
      refuseRevoked();
      return isClosed || live.isOver();
    }
    return { wait: notifier.wait, refuseRevoked, isOver, close };
  };
}
