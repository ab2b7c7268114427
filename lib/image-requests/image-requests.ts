import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import type { StreamEventWithBytes } from '../contract/reply/stream-events.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { Generation } from '../generation/generation.ts';
import type { Idempotency, IdempotentReply } from '../idempotency/idempotency.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { createDetachedRuns } from '../runs/detached-runs.ts';
import { carryOut, createImageOperations } from '../runs/image-operation.ts';
import { type Heard, startStreamed, toStreamEvents } from './image-stream.ts';
import { createPrepareRequest } from './prepare-request.ts';
import { createRetryAttach } from './retry-attach.ts';
import { toRetryCount } from './retry-count.ts';

interface Deps {
  readonly generation: Pick<Generation, 'run'>;
  /** What a generation has published is made its owner's, or removed again. */
  readonly publisher: Parameters<typeof createImageOperations>[0]['publisher'];
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly log: TraceLog;
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

/** What handlers see; `drain` and `close` are for whoever built it. */
export type ImageRequests = Pick<ReturnType<typeof createImageRequests>, 'create' | 'stream'>;

/**
 * Answers the image routes: one request, one generation, and what it published is owned before anybody hears of it. A
 * client that leaves takes its work along, but for work under a key and for a moment of retry attach (contract.md 13).
 */
export function createImageRequests(deps: Deps) {
  const { idempotency, clock, slices, maxInputBytes } = deps;
  const operations = createImageOperations(deps);
  const prepare = createPrepareRequest({ operations, slices, maxInputBytes });
  const detached = createDetachedRuns();
  const retryAttach = createRetryAttach<ImageResponseWithBytes>({ clock, detached });

  async function answer(
    sent: AnyImageRequest,
    context: RequestContext,
  ): Promise<IdempotentReply<ImageResponseWithBytes>> {
    const { scope } = context;
    const signal = context.signal();
    const retryCount = toRetryCount(context.retryCount);
    const prepared = await prepare(sent, context);
    const { key, operation } = prepared;
    if (key === undefined && retryCount === undefined) {
      return { value: await carryOut(operation, signal), replayed: false };
    }
    const fingerprint = await prepared.fingerprint('images');
    if (key === undefined) {
      const attempt = { scope, fingerprint, retryCount: retryCount ?? 0 };
      return retryAttach.reply(attempt, operation, context);
    }
    const runOn = () => detached.run((stop) => carryOut(operation, stop)).outcome;
    return idempotency.answer({ scope, key, fingerprint }, runOn, signal);
  }

  async function hear(sent: AnyImageRequest, context: RequestContext): Promise<Heard> {
    const { scope } = context;
    const signal = context.signal();
    const prepared = await prepare(sent, context);
    const { key, operation } = prepared;
    if (key === undefined) {
      const own = startStreamed(operation, signal, signal);
      return { ...own, own };
    }
    const fingerprint = await prepared.fingerprint('stream');
    const runOn = () => detached.begin((stop) => startStreamed(operation, stop, signal));
    return idempotency.open({ scope, key, fingerprint }, runOn, signal);
  }

  return {
    /**
     * Rejects with a `BridgeError`; a rejected request has left no file behind, but for a client that has left while its
     * work runs on. Throws `idempotency_conflict` beside what a generation throws.
     */
    create(
      request: AnyImageRequest,
      context: RequestContext,
    ): Promise<IdempotentReply<ImageResponseWithBytes>> {
      return answer(request, context);
    },

    /**
     * Resolves with its events once the work is queued or running; they reject where it fails later. A client that leaves
     * takes its work along at once, but for work under a key. Throws what `create` throws.
     */
    async stream(
      request: AnyImageRequest,
      context: RequestContext,
    ): Promise<IdempotentReply<AsyncIterable<StreamEventWithBytes>>> {
      const heard = await hear(request, context);
      await heard.started;
      const first = { request_id: context.requestId, created: nowSecs(clock) };
      return { value: toStreamEvents(first, heard), replayed: heard.own === undefined };
    },

    /** Waits for work that runs on without a client; once `grace` aborts, it is cancelled and its end waited for. */
    async drain(grace: AbortSignal): Promise<void> {
      retryAttach.stopLingering();
      await detached.drain(grace);
    },

    /** Ends all work that runs on without a client; resolves when none does any more. */
    close: detached.close,
  };
}
