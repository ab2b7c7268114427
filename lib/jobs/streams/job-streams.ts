import type { JobEvent, JobFeedEvent } from '../../contract/resources/job-events.ts';
import { invalidField } from '../../contract/schema/issues.ts';
import { createSealedCursors } from '../../cursors/sealed-cursor.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { JobStore } from '../job-store-port.ts';
import { toImageJob } from '../job-views.ts';
import { createAdvancedJobs, createJobFeed, type FeedItem } from './job-feed.ts';
import type { JobNotices } from './job-notices.ts';
import { createJobNews, jobStream } from './job-stream.ts';
import type { LiveJobs } from './live-jobs.ts';
import { createSharedChanges } from './shared-changes.ts';
import { createStreamReaders, type StreamContext, type StreamReader } from './stream-readers.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'list' | 'summaries' | 'changes' | 'nextChange'>;
  readonly live: Pick<LiveJobs, 'progress'>;
  readonly notices: Pick<JobNotices, 'subscribe' | 'isOver'>;
  readonly secret: Uint8Array;
}

/** An event and its id, or the id alone. */
interface Identified<E> {
  readonly id: string;
  readonly event?: E;
}

const POSITION_BYTES = 8;

export type JobStreams = ReturnType<typeof createJobStreams>;

/**
 * Jobs as streams of events. Each ends when its client disconnects or the bridge stops, and fails with
 * `authentication_required` when its token is revoked.
 */
export function createJobStreams({ store, live, notices, secret }: Deps) {
  const cursors = createSealedCursors(secret);
  const openReader = createStreamReaders(notices);
  const nextChange = createSharedChanges(store, notices);
  const jobFeed = createJobFeed({ store: { ...store, nextChange }, live });

  function toId(scope: string, position: number): string {
    const bytes = Buffer.alloc(POSITION_BYTES);
    bytes.writeBigUInt64BE(BigInt(position));
    return cursors.write(['job events', scope], bytes);
  }

  async function readJob(scope: string, id: string) {
    const job = await store.find(scope, id);
    if (job === undefined) throw new BridgeError('not_found', 'there is no such job');
    return toImageJob(job, live.progress(id));
  }

  /** Where a reader of the feed begins. Throws `invalid_request` for an id from which it would miss something. */
  async function startOf(scope: string, lastEventId: string | undefined) {
    const { latest, oldestToResume } = await store.changes(scope);
    // A browser sends an empty id before it has got one.
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
    /** The job as it is, what happens in it, and its end. Throws `not_found`, `rate_limited`. */
    async ofJob(id: string, context: StreamContext): Promise<AsyncIterable<Identified<JobEvent>>> {
      const news = createJobNews(id);
      // Subscribed before the job is read, because it may end in between.
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
     * The scope's jobs as they change, from where the reader of `lastEventId` stopped. The first item is an id alone: who
     * has it misses nothing from now on. Throws `invalid_request`, `rate_limited`.
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

/** With ids for those who ask for them: a stream of one job is never resumed, it begins with the job as it is. */
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
