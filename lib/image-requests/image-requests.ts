import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import type { StreamEventWithBytes } from '../contract/reply/stream-events.ts';
import { toIdempotencyKey } from '../contract/request/idempotency-key.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import { type AsyncPreference, parseAsyncPreference } from '../contract/request/preference.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { ImageJob } from '../contract/resources/job.ts';
import { tokenRemoval } from '../errors/token-removal.ts';
import { plainBytes } from '../generation/finish/deliver.ts';
import type { RunningGeneration } from '../generation/generation.ts';
import type { VerifiedEvent } from '../generation/generation-events.ts';
import { toFingerprintedRequest, toGenerationRequest } from '../generation/generation-request.ts';
import { createLedger } from '../generation/ledger/ledger.ts';
import type { GenerationResult } from '../generation/pipeline.ts';
import type { Idempotency, IdempotentReply, StartedWork } from '../idempotency/idempotency.ts';
import { identifyInputs } from '../inputs/input-identities.ts';
import { toInputSources } from '../inputs/to-input-sources.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { createDetachedRuns } from '../runs/detached-runs.ts';
import { completeRun, type ImageRun, type ImageRuns } from '../runs/image-run.ts';
import type { Usage } from '../usage/usage.ts';
import {
  createAttachJob,
  createRetryAttach,
  forClients,
  type JobAttach,
  toRetryCount,
} from './retry-attach.ts';

interface Deps {
  readonly runs: ImageRuns;
  /** Commits the publications of a run, which gives them an owner. */
  readonly publisher: { commit(publications: GenerationResult['publications']): Promise<void> };
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly usage: Pick<Usage, 'accountFor'>;
  readonly tokens: {
    /**
     * Calls `onRemoval` within seconds after the token is removed, or at once if it was removed before. Returns a function that
     * ends the watch.
     */
    watchRemoval(id: string, onRemoval: () => void): () => void;
  };
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
  /** Serves a request as a job. Undefined if jobs are disabled. */
  readonly replyAsync: ReplyAsync | undefined;
}

type ReplyAsync = (
  sent: AnyImageRequest,
  preference: AsyncPreference,
  context: RequestContext,
  attach: JobAttach | undefined,
) => Promise<IdempotentReply<ImageResponseWithBytes> | Accepted>;

/** The job that was created instead of images. */
interface Accepted {
  readonly accepted: ImageJob;
  /** An estimate of the time until the job has ended. */
  readonly retryAfterSecs: number;
  readonly replayed: boolean;
}

/** The images, or the job that makes them if the client prefers a job. */
export type ServedImages =
  | (IdempotentReply<ImageResponseWithBytes> & { readonly accepted?: undefined })
  | (Accepted & { readonly preference: AsyncPreference });

/** The functions for handlers. `drain` and `close` are for the app. */
export type ImageRequests = Pick<ReturnType<typeof createImageRequests>, 'serve' | 'stream'>;

/**
 * Serves the image routes. Each request starts one run, whose publications have an owner before the reply begins. A run is cancelled
 * when its client disconnects, unless the request has an idempotency key or its client counts its retries.
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
   * Serves a request without events. A rejected request leaves no file, unless its client disconnected and its run continues.
   * Throws `idempotency_conflict` and the errors of a generation.
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
     * Serves a request as `create` does, or as a job if the client prefers a job, jobs are enabled and its token may create
     * them. Otherwise ignores the preference, as RFC 7240 allows, so that one client works with every token. Throws the errors
     * of `create` and of accepting a job.
     */
    async serve(sent: AnyImageRequest, context: RequestContext): Promise<ServedImages> {
      const preference = mayCreateJobs(context) ? parseAsyncPreference(context.prefer) : undefined;
      if (!preference || !deps.replyAsync) return create(sent, context);
      const attach = jobAttach.attachFor(context);
      const reply = await deps.replyAsync(sent, preference, context, attach);
      return 'accepted' in reply ? { ...reply, preference } : reply;
    },

    /**
     * Resolves with the events once the work is queued or running. The events reject if the work fails later. If the client
     * disconnects, the run is cancelled at once unless the request has a key. Throws the errors of `create`.
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

    /** Waits for the runs that do not depend on a client. Once `grace` aborts, cancels them and waits until they have ended. */
    async drain(grace: AbortSignal): Promise<void> {
      retryAttach.stopLingering();
      jobAttach.stopLingering();
      await detached.drain(grace);
    },

    /** Cancels the runs that do not depend on a client. Resolves when all of them have ended. */
    close: detached.close,
  };
}

function mayCreateJobs({ caller }: RequestContext): boolean {
  return caller.permissions.includes('jobs');
}

/** A request that has passed the checks that need no provider, and its run. */
interface PreparedRequest {
  readonly key: string | undefined;
  readonly run: ImageRun<ImageResponseWithBytes>;
  /** Resolves with the fingerprint, which is the same for equal requests to one operation for the same kind of result. */
  fingerprintFor(result: 'images' | 'stream'): Promise<string>;
}

/** Creates a function that turns a request into a run. A request that fails before there is a run is logged as a failure. */
function createPrepareRequest(deps: Deps) {
  const { runs, publisher, slices, usage, tokens, maxInputBytes } = deps;

  async function commit({ response, publications }: GenerationResult) {
    if (publications.length > 0) await publisher.commit(publications);
    return response;
  }

  /** Throws `input`, `invalid_request`, `unsupported_capability`, or the signal's reason. */
  return async function prepare(
    sent: AnyImageRequest,
    context: RequestContext,
  ): Promise<PreparedRequest> {
    try {
      const key = toIdempotencyKey(sent.idempotency_key, context.idempotencyKey);
      const inputs = await slices.run(toInputSources(sent, maxInputBytes), context.signal());
      const request = toGenerationRequest(sent, inputs);
      const ledger = createLedger(usage.accountFor(context.caller), request.parameters.n);
      return {
        key,
        run: untilRemoval(runs.newRun(request, { ...context, ledger }, { commit }), (onRemoval) =>
          tokens.watchRemoval(context.caller.id, onRemoval),
        ),
        async fingerprintFor(result) {
          const identities = await identifyInputs(inputs, slices, context.signal());
          const equal = toFingerprintedRequest(sent, inputs, identities);
          return toFingerprint(`${context.operationId} ${result}`, equal);
        },
      };
    } catch (thrown) {
      throw runs.refused(context, thrown);
    }
  };
}

/** Returns the same run, but cancels it when the token of its caller is removed, even if no client waits for the run. */
function untilRemoval<T>(
  run: ImageRun<T>,
  watch: (onRemoval: () => void) => () => void,
): ImageRun<T> {
  function start(signal: AbortSignal): RunningGeneration {
    const linked = linkSignal(signal);
    const unwatch = watch(() => linked.abort(tokenRemoval()));
    const running = run.start(linked.signal);
    const end = () => {
      unwatch();
      linked.end();
    };
    running.result.then(end, end);
    return running;
  }

  return {
    ...run,
    start,
    make(signal) {
      const running = start(signal);
      running.ignoreEvents();
      return running.result;
    },
  };
}

/** A run whose events its client reads. The result is committed before it is reported. */
interface StreamedRun
  extends StartedWork<ImageResponseWithBytes>,
    Pick<RunningGeneration, 'events'> {}

/** The events of one client: all events of its own run, or the first and the last event of the run of an equal request. */
interface Subscription extends StartedWork<ImageResponseWithBytes> {
  readonly own: StreamedRun | undefined;
}

/** Starts a run that `signal` cancels. Its events end early when `client` aborts, which does not cancel the run. */
function startStreamed(
  run: ImageRun<ImageResponseWithBytes>,
  signal: AbortSignal,
  client: AbortSignal,
): StreamedRun {
  const { started, events, ignoreEvents, result: made } = run.start(signal);
  if (client.aborted) ignoreEvents();
  else client.addEventListener('abort', ignoreEvents, { once: true });
  const result = completeRun(run, signal, made);
  // If the request is refused, no one reads the result.
  result.catch(() => {});
  return { started, events, result };
}

/** Yields the events of one client, from the first to the last. Throws instead of the last event if the work fails. */
async function* toStreamEvents(
  first: Omit<Extract<StreamEventWithBytes, { type: 'started' }>, 'type'>,
  { own, result }: Subscription,
): AsyncGenerator<StreamEventWithBytes> {
  yield { type: 'started', ...first };
  if (own) for await (const event of own.events) yield toStreamEvent(event);
  yield { type: 'completed', response: await result };
}

function toStreamEvent(event: VerifiedEvent): StreamEventWithBytes {
  if (event.type === 'progress') return event;
  const { type, index, partialIndex, image } = event;
  const { format, width, height } = image;
  const b64_json = plainBytes(image.bytes);
  return { type, index, partial_index: partialIndex, format, width, height, b64_json };
}
