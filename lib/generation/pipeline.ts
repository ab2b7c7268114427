import type { Admission } from '../admission/admission.ts';
import type { Deadline } from '../admission/deadline.ts';
import type { Permit } from '../admission/gate.ts';
import type { PendingPublication, Publisher } from '../artifacts/publisher.ts';
import type { Attempt, ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import { toBridgeError } from '../errors/bridge-error.ts';
import type { ImageEngine, VerifiedImage } from '../images/image.ts';
import { factsOf, type InputSet, mapInputs } from '../inputs/input-source.ts';
import type { InputVerifier } from '../inputs/verify-inputs.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { anySignal } from '../platform/linked-signal.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { createCallProvider } from './call/call-provider.ts';
import { createFanOut } from './call/fan-out.ts';
import { createRouteAttempt } from './call/route-attempt.ts';
import { runRoutes } from './call/run-routes.ts';
import { createMaskedInputs } from './emulated-mask.ts';
import {
  createDeliver,
  createEarlyDelivery,
  createLateDelivery,
  type EarlyDelivery,
  isPublished,
  type JobOutputs,
} from './finish/deliver.ts';
import { createDescribeImages } from './finish/describe-images.ts';
import { createFinish } from './finish/finish.ts';
import { toImageResponse } from './finish/response.ts';
import type { GenerationEvent } from './generation-events.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { Ledger } from './ledger/ledger.ts';
import { makePlan, toTurnRequest } from './plan/plan.ts';
import { resolveCandidates, toRoute } from './plan/routing.ts';
import type { SessionTurns } from './session-turns-port.ts';
import { startTimes } from './times.ts';

export interface GenerationResult {
  readonly response: ImageResponseWithBytes;
  /** The published files. The caller has to commit or discard them. */
  readonly publications: readonly PendingPublication[];
}

export interface PipelineDeps {
  readonly registry: ProviderRegistry;
  readonly engine: ImageEngine;
  readonly inputs: InputVerifier;
  readonly publisher: Publisher;
  readonly admission: Pick<Admission, 'checkOperation' | 'enterOperation' | 'enterRoute'>;
  readonly sessions: SessionTurns;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: Metrics;
  readonly settings: { readonly cancellation_grace_ms: number };
}

/** The caller of a generation, and how the generation is to run. */
export interface GenerationContext extends Pick<RequestContext, 'requestId' | 'scope' | 'baseUrl'> {
  /**
   * The job, whose images are published as soon as they are finished. Undefined for any other request, which publishes its images
   * at its end.
   */
  readonly outputs?: JobOutputs;
  /** True if the operation waits when the queue of a gate is full. Other operations are rejected then. */
  readonly waitsWhenFull?: boolean;
  /** Aborts when nothing further may be sent to a provider. Calls in flight are finished and their images are delivered. */
  readonly noMoreCalls?: AbortSignal;
  /** The account of the generation. The code that commits the result closes the account. */
  readonly ledger: Ledger;
}

/** The signals that end a running pipeline, and the functions to which it reports. */
interface Progress {
  readonly deadline: Deadline;
  /** Aborts when the client disconnects, but not at the deadline. */
  readonly client: AbortSignal;
  readonly onEvent: (event: GenerationEvent) => void;
  /** Called when the work is queued or running. A later failure is not a refusal. */
  readonly onAdmitted: () => void;
}

/** The stages that are reported before the work waits at a gate. */
const BEFORE_ADMISSION = ['queued', 'preparing'] as const;

/** Creates the function that runs the steps of every generation: plan, inputs, admission, route attempts, metadata, delivery. */
export function createPipeline(deps: PipelineDeps) {
  const { registry, inputs, publisher, admission, sessions, clock, metrics } = deps;
  const routeAttempt = createCalls(deps);
  const stepsOf = createScopedSteps(deps);

  return async function runPipeline(
    request: GenerationRequest,
    context: GenerationContext,
    { deadline, client, onEvent, onAdmitted }: Progress,
  ): Promise<GenerationResult> {
    const times = startTimes(clock);
    const { requestId, scope, ledger, noMoreCalls, waitsWhenFull = false } = context;
    const sending = anySignal(deadline.signal, noMoreCalls);
    const { finish, maskedInputs, deliverLate, startEarlyDelivery } = stepsOf(scope);
    const candidates = resolveCandidates(request.routing, registry);
    const shown = (all: readonly Attempt[]) => (candidates.length > 1 ? all : undefined);
    let permit: Permit | undefined;
    let early: EarlyDelivery | undefined;
    let verified: InputSet<VerifiedImage> = { images: [], references: [] };
    try {
      const { result: done, attempts } = await runRoutes(candidates, {
        clock,
        fallsBack: (error) => ledger.fallsBack(error, request.routing.fallback_policy),
        signal: sending,
        plan: (candidate) => makePlan(requestId, request, toRoute(candidate, registry)),
        async prepare({ ask, output }) {
          const turn = toTurnRequest(ask, context);
          if (turn) await sessions.check(turn);
          // Images are decoded only for a request that may be admitted.
          if (!waitsWhenFull) admission.checkOperation();
          if (isPublished(output)) await publisher.refuseBroken();
          await ledger.reserve();
          for (const stage of BEFORE_ADMISSION) onEvent({ type: 'progress', stage });
          verified = await times.of(
            'input',
            inputs.verify(request.inputs, { scope, signal: sending }),
          );
          permit = await times.of(
            'queue',
            // `onAdmitted` is called here only for a wait, because the gate of the provider may still reject the operation.
            admission.enterOperation(sending, (waits) => waits && onAdmitted(), waitsWhenFull),
          );
          metrics.queued({ durationMs: permit.waitedMs });
        },
        async attempt(first, tried) {
          ledger.beginRoute(first.ask.provider.name);
          const plan = first.withInputs(mapInputs(verified, factsOf));
          const route = { plan, times, attempts: () => shown(tried()) };
          early = context.outputs && startEarlyDelivery(route, context.outputs, context);
          const drawing = maskedInputs(plan, verified, sending);
          const { inputs: sent, masked } = await times.of('input', drawing);
          const shared = { deadline, noMoreCalls, ledger, finish, onEvent };
          const work = { ...shared, plan, inputs: sent, masked, publish: early?.publish };
          const result = await routeAttempt(work, { times, onAdmitted, waitsWhenFull, scope });
          return { plan, result };
        },
      });
      onEvent({ type: 'progress', stage: 'publishing' });
      const ended = { ...done, completedSecs: nowSecs(clock), attempts: shown(attempts) };
      const late = { times, target: context, client, toFailure: ledger.restrictedOutput };
      const { outcome, delivered } = early
        ? { outcome: ended, delivered: early.all() }
        : await times.of('artifact', deliverLate(ended, late));
      ledger.delivered(delivered.data.map(({ index }) => index));
      const response = toImageResponse(outcome, delivered, times.report());
      return { response, publications: delivered.publications };
    } catch (thrown) {
      throw ledger.restricted(toBridgeError(thrown));
    } finally {
      permit?.release();
    }
  };
}

/** Creates the steps that work on images, in the turns of a scope. */
function createScopedSteps(deps: PipelineDeps) {
  const { clock } = deps;
  const deliver = createDeliver(deps);
  return (scope: string) => {
    const engine = deps.engine.forScope(scope);
    const describeImages = createDescribeImages({ engine });
    return {
      finish: createFinish({ engine }),
      maskedInputs: createMaskedInputs({ engine }),
      startEarlyDelivery: createEarlyDelivery({ describeImages, deliver, clock }),
      deliverLate: createLateDelivery({ describeImages, deliver }),
    };
  };
}

/** Creates the function that runs one route. */
function createCalls(deps: PipelineDeps) {
  const { admission, sessions, clock, ids, metrics, settings } = deps;
  const graceMs = settings.cancellation_grace_ms;
  const callProvider = createCallProvider({ clock, ids, graceMs });
  const fanOut = createFanOut({ clock, callProvider, metrics });
  return createRouteAttempt({ admission, fanOut, sessions, clock, metrics });
}
