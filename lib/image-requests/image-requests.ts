import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import type { StreamEventWithBytes } from '../contract/reply/stream-events.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import { type AsyncPreference, parseAsyncPreference } from '../contract/request/preference.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { ImageJob } from '../contract/resources/job.ts';
import type { Idempotency, IdempotentReply } from '../idempotency/idempotency.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { createDetachedRuns } from '../runs/detached-runs.ts';
import { completeRun, type ImageRuns } from '../runs/image-run.ts';
import type { JobAttach } from '../runs/job-attach.ts';
import { createAttachJob } from './attach-job.ts';
import { type Subscription, startStreamed, toStreamEvents } from './image-stream.ts';
import { createPrepareRequest } from './prepare-request.ts';
import { createRetryAttach, forClients } from './retry-attach.ts';
import { toRetryCount } from './retry-count.ts';

interface Deps {
  readonly runs: ImageRuns;
  readonly publisher: Parameters<typeof createPrepareRequest>[0]['publisher'];
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly usage: Parameters<typeof createPrepareRequest>[0]['usage'];
  readonly tokens: Parameters<typeof createPrepareRequest>[0]['tokens'];
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
  /** Serves a request as a job; undefined where jobs are disabled. */
  readonly replyAsync: ReplyAsync | undefined;
}

type ReplyAsync = (
  sent: AnyImageRequest,
  preference: AsyncPreference,
  context: RequestContext,
  attach: JobAttach | undefined,
) => Promise<IdempotentReply<ImageResponseWithBytes> | Accepted>;

/** A job in place of the images. */
interface Accepted {
  readonly accepted: ImageJob;
  /** A guess of when it has ended. */
  readonly retryAfterSecs: number;
  readonly replayed: boolean;
}

/** The images, or the job that makes them where the client prefers that. */
export type ServedImages =
  | (IdempotentReply<ImageResponseWithBytes> & { readonly accepted?: undefined })
  | (Accepted & { readonly preference: AsyncPreference });

/** What handlers see; `drain` and `close` are for the app. */
export type ImageRequests = Pick<ReturnType<typeof createImageRequests>, 'serve' | 'stream'>;

/**
 * The service behind the image routes: one run a request, whose publications have an owner before the reply begins. When a
 * client disconnects, its run is cancelled. Exceptions are runs under a key and retry attach (contract.md 13).
 */
export function createImageRequests(deps: Deps) {
  const { idempotency, clock } = deps;
  const prepare = createPrepareRequest(deps);
  const detached = createDetachedRuns();
  const retryAttach = createRetryAttach<ImageResponseWithBytes>({ clock, detached });
  const jobAttach = createAttachJob({ clock, detached });

  async function subscribe(sent: AnyImageRequest, context: RequestContext): Promise<Subscription> {
    const { scope } = context;
    const signal = context.signal();
    const { key, run, fingerprintFor } = await prepare(sent, context);
    if (key === undefined) {
      const own = startStreamed(run, signal, signal);
      return { ...own, own };
    }
    const fingerprint = await fingerprintFor('stream');
    const start = () => detached.begin((stop) => startStreamed(run, stop, signal));
    return idempotency.open({ scope, key, fingerprint }, start, signal);
  }

  /**
   * No file remains of a rejected request, unless its client disconnected and its run continues. Throws
   * `idempotency_conflict` beside what a generation throws.
   */
  async function create(
    sent: AnyImageRequest,
    context: RequestContext,
  ): Promise<IdempotentReply<ImageResponseWithBytes>> {
    const { scope } = context;
    const signal = context.signal();
    const retryCount = toRetryCount(context.retryCount);
    const { key, run, fingerprintFor } = await prepare(sent, context);
    if (key === undefined && retryCount === undefined) {
      return { value: await completeRun(run, signal), replayed: false };
    }
    const fingerprint = await fingerprintFor('images');
    if (key === undefined) {
      const attempt = { scope, fingerprint, retryCount: retryCount ?? 0 };
      return retryAttach.reply(attempt, forClients(run), context);
    }
    const start = () => detached.run((stop) => completeRun(run, stop)).outcome;
    return idempotency.once({ scope, key, fingerprint }, start, signal);
  }

  return {
    create,

    /**
     * As `create`, or as a job if the client prefers a job, jobs are enabled and its token may create them. Otherwise the
     * preference is ignored, as RFC 7240 allows, so that one client works with every token. Throws what `create` throws,
     * and what refuses a job.
     */
    async serve(sent: AnyImageRequest, context: RequestContext): Promise<ServedImages> {
      const preference = mayCreateJobs(context) ? parseAsyncPreference(context.prefer) : undefined;
      if (!preference || !deps.replyAsync) return create(sent, context);
      const attach = jobAttach.attachFor(context);
      const reply = await deps.replyAsync(sent, preference, context, attach);
      return 'accepted' in reply ? { ...reply, preference } : reply;
    },

    /**
     * Resolves with its events once the work is queued or running; they reject where it fails later. When the client
     * disconnects, the run is cancelled at once unless it has a key. Throws what `create` throws.
     */
    async stream(
      sent: AnyImageRequest,
      context: RequestContext,
    ): Promise<IdempotentReply<AsyncIterable<StreamEventWithBytes>>> {
      const subscription = await subscribe(sent, context);
      await subscription.started;
      const first = { request_id: context.requestId, created: nowSecs(clock) };
      return {
        value: toStreamEvents(first, subscription),
        replayed: subscription.own === undefined,
      };
    },

    /** Waits for runs without a client. Once `grace` aborts, it cancels them and waits for their ends. */
    async drain(grace: AbortSignal): Promise<void> {
      retryAttach.stopLingering();
      jobAttach.stopLingering();
      await detached.drain(grace);
    },

    /** Cancels all runs without a client; resolves when none of them runs any more. */
    close: detached.close,
  };
}

function mayCreateJobs({ caller }: RequestContext): boolean {
  return caller.permissions.includes('jobs');
}
