import type { Admission, RoutePass } from '../admission/admission.ts';
import type { Deadline } from '../admission/deadline.ts';
import type { Permit } from '../admission/gate.ts';
import type { Permits } from '../admission/permits-port.ts';
import type { PendingPublication, Publisher } from '../artifacts/publisher.ts';
import type { Attempt, ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { interruption } from '../errors/interruption.ts';
import type { ImageEngine, ImageTools, VerifiedImage } from '../images/image.ts';
import { factsOf, type InputSet, mapInputs } from '../inputs/input-source.ts';
import type { InputVerifier } from '../inputs/verify-inputs.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { anySignal } from '../platform/linked-signal.ts';
import type { PriceList } from '../prices/price-list.ts';
import type { Credentials } from '../provenance/credentials.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { createCallProvider, stopError } from './call/call-provider.ts';
import { createFanOut, type FanOut } from './call/fan-out.ts';
import type { EarlierWork } from './earlier-work-port.ts';
import { drawMaskedInputs } from './emulated-mask.ts';
import {
  createDelivery,
  type DeliveredImages,
  type Delivery,
  isPublished,
  type JobOutputs,
} from './finish/deliver.ts';
import { withWarnings } from './finish/describe-images.ts';
import { createFinish } from './finish/finish.ts';
import { type Outcome, toImageResponse } from './finish/response.ts';
import type { GenerationEvent } from './generation-events.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { Ledger } from './ledger/ledger.ts';
import { makePlan, type Plan, toTurnRequest } from './plan/plan.ts';
import { plannedSpend } from './plan/planned-spend.ts';
import { isSidecar } from './plan/record-essentials.ts';
import { type Candidate, continuedCandidates, resolveCandidates, toRoute } from './plan/routing.ts';
import type { SessionTurn, SessionTurns } from './session-turns-port.ts';
import { startTimes, type Times } from './times.ts';

export interface GenerationResult {
  readonly response: ImageResponseWithBytes;
  /** The published files. The caller must commit or discard these publications. */
  readonly publications: readonly PendingPublication[];
  /** Returns the time in milliseconds until the deadline of the request. */
  remainingMs(): number;
}

export interface PipelineDeps {
  readonly registry: ProviderRegistry;
  readonly engine: ImageEngine;
  readonly credentials: Omit<Credentials, 'validUntilMs' | 'close'>;
  readonly inputs: InputVerifier;
  readonly publisher: Publisher;
  readonly admission: Pick<Admission, 'checkOperation' | 'enterOperation' | 'enterRoute'>;
  readonly sessions: SessionTurns;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: Metrics;
  readonly prices: PriceList;
  /** The slots that all replicas share. Undefined if the limits of providers apply to each process separately. */
  readonly permits?: Permits | undefined;
  readonly settings: { readonly cancellation_grace_ms: number };
}

/** The caller of a generation, and how the generation is to run. */
export interface GenerationContext extends Pick<RequestContext, 'requestId' | 'scope' | 'baseUrl'> {
  /**
   * The job that the generation runs for. Each image of a job is published as soon as it is finished. Undefined for any other
   * request: its images are published together at its end.
   */
  readonly outputs?: JobOutputs;
  /** True if the operation waits when the queue of a gate is full. If false, the operation is rejected when the queue is full. */
  readonly waitsWhenFull?: boolean;
  /** Aborts when nothing further may be sent to a provider. Calls in flight are finished and their images are delivered. */
  readonly noMoreCalls?: AbortSignal;
  /**
   * The work of an ended process on the job. That process entered the gates, so the generation skips the gates and the circuit
   * breaker. Undefined unless the job continues.
   */
  readonly earlier?: EarlierWork | undefined;
  /** The account of the generation. The code that commits the result closes the account. */
  readonly ledger: Ledger;
}

/** The signals that end a running pipeline, and the functions to which it reports. */
interface Progress {
  readonly deadline: Deadline;
  /** Aborts when the client disconnects, but not at the deadline. */
  readonly client: AbortSignal;
  readonly onEvent: (event: GenerationEvent) => void;
  /** Called when the work is queued or running. A failure before this call is reported as a rejection of the request. */
  readonly onAdmitted: () => void;
}

/** The parts that all steps of one generation share. */
interface Operation extends Omit<PipelineDeps, 'engine'>, GenerationContext, Progress {
  readonly times: Times;
  /** The image tools. Their work waits for the turns of the caller's scope. */
  readonly engine: ImageTools;
  readonly delivery: Delivery;
  readonly fanOut: FanOut;
  /** Aborts when nothing further may be sent: at the deadline, when the client disconnects, and with `noMoreCalls`. */
  readonly sending: AbortSignal;
}

/** An operation inside the gate of all operations. */
interface Admitted {
  readonly permit: Permit;
  readonly images: InputSet<VerifiedImage>;
}

/** The pass for a route that an ended process has already entered. */
const ADMITTED: RoutePass = { waitedMs: 0, settle: () => {} };

/** The outcome of a route that succeeded. */
interface Made extends Outcome {
  /** The images of a job, which have already been published. Undefined for any other request. */
  readonly published: DeliveredImages | undefined;
}

/** Creates the function that runs the steps of every generation: plan, inputs, admission, calls, finish, delivery. */
export function createPipeline(deps: PipelineDeps) {
  const { registry, publisher, clock, ids, metrics, prices, permits, settings, credentials } = deps;
  const graceMs = settings.cancellation_grace_ms;
  const callProvider = createCallProvider({ clock, ids, graceMs });
  const fanOut = createFanOut({ clock, callProvider, metrics, prices, permits });

  /**
   * Tries the routes of a request in order, until a route succeeds or until a failure does not allow a fallback. If the request
   * has fallbacks, `details.attempts` of that failure lists all routes that were tried. If admission fails, the request fails
   * without trying another route.
   */
  return async function runPipeline(
    request: GenerationRequest,
    context: GenerationContext,
    progress: Progress,
  ): Promise<GenerationResult> {
    const times = startTimes(clock);
    const engine = deps.engine.forScope(context.scope);
    const { ledger, noMoreCalls } = context;
    const { deadline, client } = progress;
    const sending = anySignal(deadline.signal, noMoreCalls);
    const delivery = createDelivery(
      { publisher, engine, credentials, metrics, clock },
      { ...context, times, client, until: deadline.signal },
    );
    const steps = { times, engine, delivery, fanOut, sending };
    const operation = { ...deps, ...context, ...progress, ...steps };
    const { earlier } = context;
    const failed: Attempt[] = [];
    let admitted: Admitted | undefined;
    try {
      const candidates = earlier
        ? continuedCandidates(request.routing, registry, earlier)
        : resolveCandidates(request.routing, registry);
      const hasFallbacks = candidates.length > 1;
      for (const candidate of candidates) {
        const attempt = startAttempt(candidate, clock);
        const attempts = () => (hasFallbacks ? [...failed, attempt()] : undefined);
        const plan = planOn(candidate, request, operation);
        const isContinued = earlier !== undefined && candidate === candidates[0];
        let made: Made | BridgeError;
        if (plan instanceof BridgeError) {
          // The model may have been removed from the configuration. The outcome of the calls of the earlier process is unknown.
          made = isContinued ? interruption() : plan;
        } else {
          admitted ??= await admit(plan, request, candidates, operation);
          const onRoute = isContinued ? operation : { ...operation, earlier: undefined };
          made = await runRoute(plan, admitted.images, attempts, onRoute).catch(toBridgeError);
        }
        if (!(made instanceof BridgeError)) return await deliver(made, operation);
        failed.push(attempt(made));
        const isOver = candidate === candidates.at(-1) || sending.aborted;
        if (isOver || !(await ledger.fallsBack(made, request.routing.fallback_policy))) {
          throw hasFallbacks ? made.with({ details: { attempts: failed } }) : made;
        }
      }
      throw new Error('a request has at least one route');
    } catch (thrown) {
      throw ledger.restricted(toBridgeError(thrown));
    } finally {
      admitted?.permit.release();
    }
  };
}

/** Plans the request on one route, or returns the error with which the route rejects the request. */
function planOn(
  candidate: Candidate,
  request: GenerationRequest,
  { requestId, registry }: Operation,
): Plan | BridgeError {
  try {
    return makePlan(requestId, request, toRoute(candidate, registry));
  } catch (thrown) {
    return toBridgeError(thrown);
  }
}

/**
 * Runs once, between the first plan that succeeds and the first call. Reserves the outputs, verifies the images and enters the gate
 * of all operations.
 */
async function admit(
  { ask, output, finish }: Plan,
  request: GenerationRequest,
  candidates: readonly Candidate[],
  operation: Operation,
): Promise<Admitted> {
  const { inputs, publisher, admission, sessions, metrics, prices } = operation;
  const { scope, ledger, times } = operation;
  const { sending, onEvent, onAdmitted, waitsWhenFull = false, earlier } = operation;
  const turn = toTurnRequest(ask, operation);
  if (turn) await sessions.check(turn);
  // Checked before the images are decoded, so that no image is decoded for a request that cannot be admitted.
  if (!waitsWhenFull) admission.checkOperation();
  if (!earlier && isPublished(output)) {
    await publisher.refuseBroken();
    const { format } = finish.encoding;
    const hasSidecar = isSidecar(output.metadata);
    await publisher.refuseTaken(scope, output, { format, hasSidecar });
  }
  await ledger.reserve(() =>
    plannedSpend(
      candidates.map((candidate) => planOn(candidate, request, operation)),
      prices,
    ),
  );
  if (!earlier) {
    for (const stage of ['queued', 'preparing'] as const) onEvent({ type: 'progress', stage });
  }
  const verifying = inputs.verify(request.inputs, { scope, signal: sending });
  const images = await times.of('input', verifying);
  if (earlier) return { permit: { waitedMs: 0, release: () => {} }, images };
  // `onAdmitted` is called here only if the operation has to wait. Otherwise the gate of the provider may still reject the
  // operation.
  const onQueued = (waits: boolean) => waits && onAdmitted();
  const entering = admission.enterOperation(sending, onQueued, waitsWhenFull);
  const permit = await times.of('queue', entering);
  metrics.queued({ durationMs: permit.waitedMs });
  return { permit, images };
}

/**
 * Runs one route: enters the gate and the circuit breaker of the provider, begins the turn of the session, makes the calls and
 * finishes their images. Takes one permit and reports one outcome to the breaker for all calls of the plan. `attempts` returns
 * the tried routes, with this route as succeeded, or undefined if the request has no fallbacks.
 */
async function runRoute(
  first: Plan,
  images: InputSet<VerifiedImage>,
  attempts: () => readonly Attempt[] | undefined,
  operation: Operation,
): Promise<Made> {
  const { admission, sessions, clock, metrics, fanOut, ledger, times, engine } = operation;
  const { credentials, sending, onAdmitted, waitsWhenFull, earlier } = operation;
  const { provider } = first.ask;
  ledger.beginRoute(provider.name, first.ask.request.model);
  const plan = first.withInputs(mapInputs(images, factsOf));
  const sent = await times.of('input', drawMaskedInputs(engine, plan, images, sending));
  const enter = () =>
    admission.enterRoute(provider.name, sending, () => onAdmitted(), waitsWhenFull);
  const pass = earlier ? ADMITTED : await times.of('queue', enter());
  metrics.queued({ durationMs: pass.waitedMs });
  const { outputs, delivery } = operation;
  const earlierImages = earlier?.images;
  const early = outputs && delivery.early({ plan, attempts, earlierImages }, outputs);
  let turn: SessionTurn | undefined;
  try {
    turn = await times.of('queue', beginTurn(sessions, plan, operation));
    const finish = createFinish({ engine, credentials, inputs: images.images });
    const publish = early?.publish;
    const result = await fanOut({ ...operation, ...sent, plan, turn, finish, publish });
    pass.settle();
    await turn?.end();
    const completedSecs = nowSecs(clock);
    const published = early?.all();
    return { plan, result, completedSecs, earlierImages, attempts: attempts(), published };
  } catch (thrown) {
    const error = toBridgeError(thrown);
    pass.settle(forBreaker(error, operation.deadline));
    await turn?.end(error);
    throw error;
  }
}

/** Delivers the images that are not published yet, and creates the reply. */
async function deliver(made: Made, operation: Operation): Promise<GenerationResult> {
  const { ledger, times, delivery, onEvent, deadline } = operation;
  onEvent({ type: 'progress', stage: 'publishing' });
  const { outcome, delivered } = made.published
    ? { outcome: made, delivered: made.published }
    : await times.of('artifact', delivery.late(made));
  ledger.delivered(delivered.data.map(({ index }) => index));
  const response = toImageResponse(
    withWarnings(outcome, delivered.warnings),
    delivered,
    times.report(),
    ledger.cost(),
  );
  const { remainingMs } = deadline;
  return { response, publications: delivered.publications, remainingMs };
}

/**
 * Starts an attempt on a route. The returned function describes the attempt as ended at the time of the call: with the given
 * failure, or successfully without a failure.
 */
function startAttempt({ provider: { name: provider }, model }: Candidate, clock: Clock) {
  const startedMs = clock.monotonicMs();
  return (failure?: BridgeError): Attempt => {
    const duration_ms = Math.round(clock.monotonicMs() - startedMs);
    const route = { provider, model, duration_ms };
    return failure
      ? { ...route, outcome: 'failed', error_code: failure.bridgeCode }
      : { ...route, outcome: 'succeeded' };
  };
}

/**
 * Begins the turn that a plan needs. Resolves with undefined for an isolated session. If `sending` has aborted, rejects with the
 * error of a call that was stopped before it was sent.
 */
async function beginTurn(
  sessions: Pick<SessionTurns, 'begin'>,
  { ask }: Plan,
  { sending, ...caller }: Pick<Operation, 'sending' | 'scope' | 'requestId'>,
): Promise<SessionTurn | undefined> {
  const turn = toTurnRequest(ask, caller);
  try {
    return turn && (await sessions.begin(turn, sending));
  } catch (thrown) {
    if (!sending.aborted) throw toBridgeError(thrown);
    throw stopError(sending, { sent: false });
  }
}

/**
 * Returns the error that is reported to the circuit breaker. A timeout does not count against the provider if the request has
 * shortened the deadline. Otherwise a caller with short deadlines could open the breaker for all other callers.
 */
function forBreaker(error: BridgeError, { isShortened }: Deadline): BridgeError {
  if (error.code !== 'timeout' || !isShortened) return error;
  return error.with({ details: { reason: 'shortened_deadline' } });
}
