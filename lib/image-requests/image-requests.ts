import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import type { StreamEventWithBytes } from '../contract/reply/stream-events.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import { type AsyncPreference, parseAsyncPreference } from '../contract/request/preference.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { ImageJob } from '../contract/resources/job.ts';
import { tokenRemoval } from '../errors/bridge-error.ts';
import type { RunningGeneration } from '../generation/generation.ts';
import type { VerifiedEvent } from '../generation/generation-events.ts';
import { toFingerprintedRequest, toGenerationRequest } from '../generation/generation-request.ts';
import { createLedger } from '../generation/ledger/ledger.ts';
import type { GenerationResult } from '../generation/pipeline.ts';
import { identifyInputs } from '../inputs/input-identities.ts';
import { toInputSources } from '../inputs/to-input-sources.ts';
import { ByteParts } from '../platform/byte-parts.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { type RepeatMark, toRepeatMark } from '../replay/repeat-mark.ts';
import type { Opened, Replay, Replied } from '../replay/replay.ts';
import type { StartedWork } from '../replay/work-in-flight.ts';
import { completeRun, type ImageRun, type ImageRuns } from '../runs/image-run.ts';
import type { Usage } from '../usage/usage.ts';

interface Deps {
  readonly runs: ImageRuns;
  /** Makes the publications of a run permanent. */
  readonly publisher: {
    /** Waits for a state store that is unavailable until `wait.until` aborts, but for at most `wait.forMs` milliseconds. */
    commit(
      publications: GenerationResult['publications'],
      wait: { readonly until: AbortSignal; readonly forMs: number },
    ): Promise<void>;
  };
  readonly replay: Pick<Replay, 'once' | 'open'>;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly usage: Pick<Usage, 'accountFor'>;
  readonly tokens: {
    /** See `NamedTokens.watchRemoval`. */
    watchRemoval(id: string, onRemoval: () => void): () => void;
  };
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
  /** Serves a request as a job. `undefined` if jobs are disabled. */
  readonly replyAsync: ReplyAsync | undefined;
}

type ReplyAsync = (
  sent: AnyImageRequest,
  preference: AsyncPreference,
  context: RequestContext,
) => Promise<Replied<ImageResponseWithBytes> | Accepted>;

/** The job that was created because the client prefers a job. */
interface Accepted {
  readonly accepted: ImageJob;
  /** The estimated time until the job has ended. */
  readonly retryAfterSecs: number;
  readonly replayed: boolean;
}

/** The images, or a job if the client prefers a job. */
export type ServedImages =
  | (Replied<ImageResponseWithBytes> & { readonly accepted?: undefined })
  | (Accepted & { readonly preference: AsyncPreference });

export type ImageRequests = ReturnType<typeof createImageRequests>;

/**
 * Serves the image routes. Each request starts one run, and the images of the run are committed before the reply begins. When
 * the client disconnects, the run is cancelled unless the request has an idempotency key or its client counts its retries.
 */
export function createImageRequests(deps: Deps) {
  const { replay, clock } = deps;
  const prepare = createPrepareRequest(deps);

  async function subscribe(sent: AnyImageRequest, context: RequestContext): Promise<Subscription> {
    const signal = context.signal();
    const { mark, run, fingerprintFor } = await prepare(sent, context);
    const start = (stop: AbortSignal) => startStreamed(run, stop, signal);
    // A retry cannot join a stream, because the events of a stream are not kept.
    if (mark === undefined || !('key' in mark)) {
      const own = start(signal);
      return { ...own, own: Promise.resolve(own), replayed: false };
    }
    const { scope } = context;
    const fingerprint = await fingerprintFor('stream');
    return replay.open({ ...mark, scope, fingerprint }, start, context);
  }

  /** Serves a request without events. Throws `idempotency_conflict` and the errors of a generation. */
  async function create(
    sent: AnyImageRequest,
    context: RequestContext,
  ): Promise<Replied<ImageResponseWithBytes>> {
    const { mark, run, fingerprintFor } = await prepare(sent, context);
    const make = (signal: AbortSignal, isWanted?: () => Promise<boolean>) => {
      const { ignoreEvents, result } = run.start(signal);
      ignoreEvents();
      return completeRun(run, result, signal, isWanted);
    };
    if (mark === undefined) return { value: await make(context.signal()), replayed: false };
    const request = { ...mark, scope: context.scope, fingerprint: await fingerprintFor('images') };
    return replay.once(request, make, context);
  }

  return {
    /**
     * Resolves with the images, or with a job if the client prefers a job, jobs are enabled and the token may create jobs.
     * Otherwise the preference is ignored, as RFC 7240 allows. Throws the errors of a generation and of accepting a job.
     */
    async serve(sent: AnyImageRequest, context: RequestContext): Promise<ServedImages> {
      const mayCreateJobs = context.caller.permissions.includes('jobs');
      const preference = mayCreateJobs ? parseAsyncPreference(context.prefer) : undefined;
      if (!preference || !deps.replyAsync) return create(sent, context);
      const reply = await deps.replyAsync(sent, preference, context);
      return 'accepted' in reply ? { ...reply, preference } : reply;
    },

    /**
     * Resolves with the events when the work is queued or running. The events reject if the work fails later. Throws
     * `idempotency_conflict` and the errors of a generation.
     */
    async stream(
      sent: AnyImageRequest,
      context: RequestContext,
    ): Promise<Replied<AsyncIterable<StreamEventWithBytes>>> {
      const subscription = await subscribe(sent, context);
      await subscription.started;
      const first = { request_id: context.requestId, created: nowSecs(clock) };
      return { value: toStreamEvents(first, subscription), replayed: subscription.replayed };
    },
  };
}

/** A request that passed all checks that do not need a provider, with its run. */
interface PreparedRequest {
  readonly mark: RepeatMark | undefined;
  readonly run: ImageRun<ImageResponseWithBytes>;
  /** Resolves with a fingerprint that is the same for equal requests to one operation for the same kind of result. */
  fingerprintFor(result: 'images' | 'stream'): Promise<string>;
}

/** Creates the function that creates the run of a request. A request that fails earlier is logged as a failed operation. */
function createPrepareRequest(deps: Deps) {
  const { runs, publisher, slices, usage, tokens, maxInputBytes } = deps;

  async function commit(
    { response, publications, remainingMs }: GenerationResult,
    until: AbortSignal,
  ) {
    if (publications.length > 0)
      await publisher.commit(publications, { until, forMs: remainingMs() });
    return response;
  }

  /** Throws `input`, `invalid_request`, `unsupported_capability`, or the signal's reason. */
  return async function prepare(
    sent: AnyImageRequest,
    context: RequestContext,
  ): Promise<PreparedRequest> {
    try {
      const mark = toRepeatMark(sent.idempotency_key, context);
      const inputs = await slices.run(toInputSources(sent, maxInputBytes), context.signal());
      const request = toGenerationRequest(sent, inputs);
      const ledger = createLedger(usage.accountFor(context.caller), request.parameters.n);
      return {
        mark,
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

/** Returns a run that is also cancelled when the token of its caller is removed, even if no client waits for the run. */
function untilRemoval<T>(
  run: ImageRun<T>,
  watch: (onRemoval: () => void) => () => void,
): ImageRun<T> {
  return {
    ...run,
    start(signal) {
      const linked = linkSignal(signal);
      const unwatch = watch(() => linked.abort(tokenRemoval()));
      const running = run.start(linked.signal);
      const end = () => {
        unwatch();
        linked.end();
      };
      running.result.then(end, end);
      return running;
    },
  };
}

/** A started run with its events. `result` resolves after the commit. */
type StreamedRun = StartedWork<ImageResponseWithBytes> & Pick<RunningGeneration, 'events'>;

/** The work behind a stream: the client's own run, or the run of an equal request, whose intermediate events are not sent. */
type Subscription = Opened<ImageResponseWithBytes, StreamedRun>;

/** Starts a run that `signal` cancels. When `client` aborts, the events end and the run continues. */
function startStreamed(
  run: ImageRun<ImageResponseWithBytes>,
  signal: AbortSignal,
  client: AbortSignal,
): StreamedRun {
  const { started, events, ignoreEvents, result: made } = run.start(signal);
  if (client.aborted) ignoreEvents();
  else client.addEventListener('abort', ignoreEvents, { once: true });
  const result = completeRun(run, made, signal);
  // Prevents an unhandled rejection, because nothing reads the result of a rejected request.
  result.catch(() => {});
  return { started, events, result };
}

/** Yields the events of one client. Throws before the last event if the work fails. */
async function* toStreamEvents(
  first: Omit<Extract<StreamEventWithBytes, { type: 'started' }>, 'type'>,
  { own, result }: Subscription,
): AsyncGenerator<StreamEventWithBytes> {
  yield { type: 'started', ...first };
  const started = await own;
  if (started) for await (const event of started.events) yield toStreamEvent(event);
  yield { type: 'completed', response: await result };
}

function toStreamEvent(event: VerifiedEvent): StreamEventWithBytes {
  if (event.type === 'progress') return event;
  const { type, index, partialIndex, image } = event;
  const { format, width, height } = image;
  const b64_json = new ByteParts([image.bytes]);
  return { type, index, partial_index: partialIndex, format, width, height, b64_json };
}
