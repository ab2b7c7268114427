import { type Deadline, startDeadline } from '../admission/deadline.ts';
import type { PendingPublication, Publisher } from '../artifacts/publisher.ts';
import type { ImageResponseWithBytes } from '../contract/image-response.ts';
import type { ImageEngine } from '../images/image.ts';
import type { InputVerifier } from '../inputs/verify-inputs.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { createAttempt } from './attempt.ts';
import { createCallProvider } from './call-provider.ts';
import { createDeliver, type DeliveryTarget } from './deliver.ts';
import { createEventQueue } from './event-queue.ts';
import { createFinish } from './finish.ts';
import type { GenerationEvent } from './generation-event.ts';
import type { GenerationRequest } from './generation-request.ts';
import { negotiate } from './negotiate.ts';
import { createProviderSlots } from './provider-slots.ts';
import { toImageResponse } from './response.ts';
import { resolvePrimary } from './routing.ts';
import { createRunCall } from './run-call.ts';
import { refuseUnbuilt } from './unbuilt.ts';

interface Deps {
  readonly registry: ProviderRegistry;
  readonly engine: ImageEngine;
  readonly inputs: InputVerifier;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: {
    readonly default_timeout_ms: number;
    readonly cancellation_grace_ms: number;
  };
}

/** Who asks, and under what conditions. */
export interface GenerationContext extends DeliveryTarget {
  readonly requestId: string;
}

export interface GenerationResult {
  readonly response: ImageResponseWithBytes;
  /** For the caller to commit, or to discard. */
  readonly publications: readonly PendingPublication[];
}

/** A generation under way. */
export interface RunningGeneration {
  /** Settles once the work is admitted; a rejection is a refusal before anything was dispatched. */
  readonly started: Promise<void>;
  readonly events: AsyncIterable<GenerationEvent>;
  /** Rejects with a `BridgeError`, a refusal included. */
  readonly result: Promise<GenerationResult>;
}

export type Generation = ReturnType<typeof createGeneration>;

/** The pipeline that every image goes through, whichever route asked for it: plan, inputs, attempt, finish. */
export function createGeneration(deps: Deps) {
  const { clock, settings } = deps;
  const work = createWork(deps);
  return {
    run(request: GenerationRequest, context: GenerationContext): RunningGeneration {
      const timeoutMs = request.timeoutMs ?? settings.default_timeout_ms;
      const deadline = startDeadline(clock, timeoutMs, context.signal);
      const queue = createEventQueue();
      let admit = () => {};
      const admitted = new Promise<void>((resolve) => {
        admit = resolve;
      });
      const result = work(request, context, deadline, queue.push, admit).finally(() => {
        deadline.end();
        queue.end();
      });
      const started = Promise.race([admitted, result.then(() => {})]);
      // Whoever asks for a result only must not be ended by the two other ways of hearing of its failure.
      started.catch(() => {});
      result.catch(() => {});
      return { started, events: queue.events, result };
    },
  };
}

function createWork({ registry, engine, inputs, publisher, clock, ids, settings }: Deps) {
  const graceMs = settings.cancellation_grace_ms;
  const callProvider = createCallProvider({ clock, ids, graceMs });
  const finish = createFinish({ engine });
  const slotsOf = createProviderSlots();
  const runCall = createRunCall({ clock, callProvider, finish, slotsOf });
  const attempt = createAttempt({ clock, runCall });
  const deliver = createDeliver({ publisher });

  return async function work(
    request: GenerationRequest,
    context: GenerationContext,
    deadline: Deadline,
    onEvent: (event: GenerationEvent) => void,
    admit: () => void,
  ): Promise<GenerationResult> {
    const begunMs = clock.monotonicMs();
    const { requestId } = context;
    const route = resolvePrimary(request.routing, registry);
    const negotiated = negotiate(request, route.capabilities);
    refuseUnbuilt(request, negotiated);
    onEvent({ type: 'progress', stage: 'preparing' });
    const verified = await inputs.verify(request.inputs, deadline.signal);
    const admittedMs = clock.monotonicMs();
    admit();
    const planned = { requestId, request, route, negotiated };
    const result = await attempt({ ...planned, inputs: verified, deadline, onEvent });
    onEvent({ type: 'progress', stage: 'publishing' });
    const delivered = await deliver(result.outputs, request, context);
    const endedMs = clock.monotonicMs();
    const timings = {
      queue_ms: 0,
      input_ms: Math.round(admittedMs - begunMs),
      provider_ms: Math.round(result.providerEndedMs - admittedMs),
      artifact_ms: Math.round(endedMs - result.providerEndedMs),
      total_ms: Math.round(endedMs - begunMs),
    };
    const outcome = { ...planned, createdSecs: nowSecs(clock), result, delivered, timings };
    return { response: toImageResponse(outcome), publications: delivered.publications };
  };
}
