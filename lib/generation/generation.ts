import type { Admission } from '../admission/admission.ts';
import { type Deadline, startDeadline } from '../admission/deadline.ts';
import type { Permit } from '../admission/gate.ts';
import type { Publisher } from '../artifacts/publisher.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { ImageEngine, VerifiedImage } from '../images/image.ts';
import type { InputSet } from '../inputs/input-source.ts';
import type { InputVerifier } from '../inputs/verify-inputs.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { createAttempt } from './call/attempt.ts';
import { createCallProvider } from './call/call-provider.ts';
import { createProviderSlots } from './call/provider-slots.ts';
import { createRunCall } from './call/run-call.ts';
import { createRunRoute } from './call/run-route.ts';
import { firstPlanned, tryRoutes } from './call/try-routes.ts';
import { countOperation } from './count-operation.ts';
import { createEventQueue } from './events/event-queue.ts';
import type { GenerationEvent, VerifiedEvent } from './events/generation-event.ts';
import { createVerifyPartials } from './events/verify-partials.ts';
import { createDeliver } from './finish/deliver.ts';
import { createDescribeImages, refuseLongRecord } from './finish/describe-images.ts';
import { createFinish } from './finish/finish.ts';
import { toImageResponse } from './finish/response.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { GenerationResult } from './generation-result.ts';
import { negotiate } from './plan/negotiate.ts';
import { checkLoadedInputs } from './plan/negotiate-inputs.ts';
import { type Route, resolveCandidates, toRoute } from './plan/routing.ts';
import { startTimes } from './times.ts';

interface Deps {
  readonly registry: ProviderRegistry;
  readonly engine: ImageEngine;
  readonly inputs: InputVerifier;
  readonly publisher: Publisher;
  readonly admission: Pick<Admission, 'checkOperation' | 'enterOperation' | 'enterRoute'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: Metrics;
  readonly settings: {
    readonly default_timeout_ms: number;
    readonly cancellation_grace_ms: number;
  };
}

/** Whom a generation is for. */
export interface GenerationContext extends Pick<RequestContext, 'requestId' | 'scope' | 'baseUrl'> {
  /** Where others are refused because the queue of a gate is full, it waits. */
  readonly waitsWhenFull?: boolean;
}

/** A generation under way. */
export interface RunningGeneration {
  /** Settles once the work is queued or running; a rejection is a refusal before anything was dispatched. */
  readonly started: Promise<void>;
  /** For one reader, at its pace; ends when the result is there, or the refusal. */
  readonly events: AsyncIterable<VerifiedEvent>;
  /** Keeps none of them for a reader any more; one that reads comes to its end. */
  ignoreEvents(): void;
  /** Rejects with a `BridgeError`, a refusal included. */
  readonly result: Promise<GenerationResult>;
}

export type Generation = ReturnType<typeof createGeneration>;

/** The pipeline that every image goes through, whichever route asked for it: plan, inputs, attempt, finish. */
export function createGeneration(deps: Deps) {
  const { clock, metrics, settings } = deps;
  const verified = createVerifyPartials(deps);
  const work = createWork(deps);
  return {
    run(
      request: GenerationRequest,
      context: GenerationContext,
      signal: AbortSignal,
    ): RunningGeneration {
      const timeoutMs = request.timeoutMs ?? settings.default_timeout_ms;
      const deadline = startDeadline(clock, timeoutMs, signal);
      const queue = createEventQueue();
      const reading = new AbortController();
      let admit = () => {};
      const admitted = new Promise<void>((resolve) => {
        admit = resolve;
      });
      const counted = countOperation(metrics, clock, request);
      const result = counted(work(request, context, signal, deadline, queue.push, admit)).finally(
        () => {
          deadline.end();
          queue.end();
        },
      );
      const started = Promise.race([admitted, result.then(() => {})]);
      // Whoever asks for a result only must not be ended by the two other ways of hearing of its failure.
      started.catch(() => {});
      result.catch(() => {});
      return {
        started,
        events: verified(queue.events, reading.signal),
        ignoreEvents() {
          queue.drop();
          reading.abort();
        },
        result,
      };
    },

    /**
     * Where the request would go first, judged without loading or sending anything. Throws what refuses it on every
     * route that it may take.
     */
    plan(
      request: GenerationRequest,
      requestId: string,
    ): { readonly provider: string; readonly model: string } {
      const candidates = resolveCandidates(request.routing, deps.registry);
      const { provider, model } = firstPlanned(candidates, request.routing.fallback_policy, (it) =>
        planRoute(requestId, request, toRoute(it, deps.registry)),
      );
      return { provider: provider.name, model };
    },
  };
}

function createWork(deps: Deps) {
  const { registry, engine, inputs, publisher, admission, clock, ids, metrics, settings } = deps;
  const graceMs = settings.cancellation_grace_ms;
  const callProvider = createCallProvider({ clock, ids, graceMs });
  const finish = createFinish({ engine });
  const slotsOf = createProviderSlots();
  const runCall = createRunCall({ clock, callProvider, finish, slotsOf, metrics });
  const attempt = createAttempt({ clock, runCall });
  const runRoute = createRunRoute({ admission, attempt, clock, metrics });
  const describeImages = createDescribeImages({ engine });
  const deliver = createDeliver({ publisher });

  return async function work(
    request: GenerationRequest,
    context: GenerationContext,
    client: AbortSignal,
    deadline: Deadline,
    onEvent: (event: GenerationEvent) => void,
    onAdmitted: () => void,
  ): Promise<GenerationResult> {
    const times = startTimes(clock);
    const { requestId, scope, waitsWhenFull = false } = context;
    const { signal } = deadline;
    const candidates = resolveCandidates(request.routing, registry);
    let permit: Permit | undefined;
    let verified: InputSet<VerifiedImage> = { images: [], references: [] };
    try {
      const { planned, result, attempts } = await tryRoutes(candidates, {
        clock,
        policy: request.routing.fallback_policy,
        signal,
        plan: (candidate) => planRoute(requestId, request, toRoute(candidate, registry)),
        async prepare() {
          // Images are decoded for requests only that have a chance to be served.
          if (!waitsWhenFull) admission.checkOperation();
          onEvent({ type: 'progress', stage: 'queued' });
          onEvent({ type: 'progress', stage: 'preparing' });
          verified = await times.of('input', inputs.verify(request.inputs, { scope, signal }));
          permit = await times.of(
            'queue',
            // One that is inside may still be refused at the gate of its provider.
            admission.enterOperation(signal, (waits) => waits && onAdmitted(), waitsWhenFull),
          );
          metrics.queued({ durationMs: permit.waitedMs });
        },
        run(planned) {
          checkLoadedInputs(request, planned.route.capabilities, verified);
          const input = { ...planned, requestId, request, inputs: verified, deadline, onEvent };
          return runRoute(input, { times, onAdmitted, waitsWhenFull });
        },
      });
      onEvent({ type: 'progress', stage: 'publishing' });
      const outcome = {
        ...{ ...planned, requestId, request, result },
        completedSecs: nowSecs(clock),
        attempts: candidates.length > 1 ? attempts : undefined,
      };
      const described = describeImages(outcome, times.report(), client);
      const outputs = await times.of('artifact', described);
      const delivered = await times.of('artifact', deliver(outputs, request, context, client));
      const response = toImageResponse(outcome, delivered, times.report());
      return { response, publications: delivered.publications };
    } finally {
      permit?.release();
    }
  };
}

/** Fits a request to one route. Throws `unsupported_capability`, `invalid_request`. */
function planRoute(requestId: string, request: GenerationRequest, route: Route) {
  const negotiated = negotiate(request, route.capabilities);
  refuseLongRecord({ requestId, request, route, negotiated });
  return { route, negotiated };
}
