import { startDeadline } from '../admission/deadline.ts';
import { toBridgeError } from '../errors/bridge-error.ts';
import type { InputFacts, InputSet } from '../inputs/input-source.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { createEventQueue, createVerifyPartials, type VerifiedEvent } from './generation-events.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { PlannedSpend } from './ledger/rows.ts';
import {
  createPipeline,
  type GenerationContext,
  type GenerationResult,
  type PipelineDeps,
} from './pipeline.ts';
import { makePlan, type Plan, toTurnRequest } from './plan/plan.ts';
import { plannedSpend } from './plan/planned-spend.ts';
import { fallsBack, resolveCandidates, toRoute } from './plan/routing.ts';

interface Deps extends PipelineDeps {
  readonly settings: PipelineDeps['settings'] & { readonly default_timeout_ms: number };
}

/** A running generation. */
export interface RunningGeneration {
  /** Resolves once the work is queued or running. If the promise rejects, nothing was sent to a provider. */
  readonly started: Promise<void>;
  /** The events, for one reader. The events end when `result` settles. */
  readonly events: AsyncIterable<VerifiedEvent>;
  /** Discards all events and ends the reader. */
  ignoreEvents(): void;
  /** The result. Rejects with a `BridgeError`, also if the request is refused. */
  readonly result: Promise<GenerationResult>;
}

export type Generation = ReturnType<typeof createGeneration>;

/** Runs the pipeline under a deadline, and reports its events and metrics. */
export function createGeneration(deps: Deps) {
  const { clock, metrics, settings } = deps;
  const runPipeline = createPipeline(deps);
  return {
    run(
      request: GenerationRequest,
      context: GenerationContext,
      signal: AbortSignal,
    ): RunningGeneration {
      const usualMs = settings.default_timeout_ms;
      const deadline = startDeadline(clock, request.timeoutMs ?? usualMs, signal, usualMs);
      const queue = createEventQueue();
      const reading = new AbortController();
      let admit = () => {};
      const admitted = new Promise<void>((resolve) => {
        admit = resolve;
      });
      const verified = createVerifyPartials({ engine: deps.engine.forScope(context.scope) });
      const progress = { deadline, client: signal, onEvent: queue.push, onAdmitted: admit };
      const work = runPipeline(request, context, progress);
      const result = countOperation(work, request.operation, { metrics, clock }).finally(() => {
        deadline.end();
        queue.end();
      });
      const started = Promise.race([admitted, result.then(() => {})]);
      // A caller may await only one of the two promises. The rejection of the other promise must be handled here.
      started.catch(() => {});
      result.catch(() => {});
      return {
        started,
        events: verified(queue.events, reading.signal),
        ignoreEvents() {
          queue.discard();
          reading.abort();
        },
        result,
      };
    },

    /** Returns the cost of a request on its most expensive route. `inputs` contains the known facts about the images. */
    plannedSpend(
      request: GenerationRequest,
      { requestId }: Pick<GenerationContext, 'requestId'>,
      inputs?: InputSet<InputFacts>,
    ): PlannedSpend {
      const { registry, prices } = deps;
      const plans = resolveCandidates(request.routing, registry).map((candidate) => {
        try {
          return makePlan(requestId, request, toRoute(candidate, registry), inputs);
        } catch (thrown) {
          return toBridgeError(thrown);
        }
      });
      return plannedSpend(plans, prices);
    },

    /**
     * Resolves with the first route that accepts a request, and the size to request on this route: `auto`, or `WxH` in pixels. Does
     * not load images or call a provider. `inputs` contains the known facts about the images. If all routes refuse the request,
     * throws the error of the last route that may be tried. Throws `session_not_found`.
     */
    async plan(
      request: GenerationRequest,
      context: Pick<GenerationContext, 'requestId' | 'scope'>,
      inputs?: InputSet<InputFacts>,
    ): Promise<{ readonly provider: string; readonly model: string; readonly size: string }> {
      const { registry, sessions } = deps;
      const { ask, report } = firstPlan(request, context.requestId, registry, inputs);
      const turn = toTurnRequest(ask, context);
      if (turn) await sessions.check(turn);
      const { provider, model, effective } = report.record;
      return { provider, model, size: effective.size };
    },
  };
}

/** Returns the plan on the first route that accepts the request. Throws the error of the last route that may be tried. */
function firstPlan(
  request: GenerationRequest,
  requestId: string,
  registry: ProviderRegistry,
  inputs: InputSet<InputFacts> | undefined,
): Plan {
  let refusal: unknown;
  for (const candidate of resolveCandidates(request.routing, registry)) {
    try {
      return makePlan(requestId, request, toRoute(candidate, registry), inputs);
    } catch (thrown) {
      refusal = thrown;
      if (!fallsBack(toBridgeError(thrown), request.routing.fallback_policy)) break;
    }
  }
  throw refusal ?? new Error('a request has at least one route');
}

/** Settles like `work`, and records the result and the delivered images in the metrics. */
async function countOperation(
  work: Promise<GenerationResult>,
  operation: GenerationRequest['operation'],
  { metrics, clock }: Pick<Deps, 'metrics' | 'clock'>,
): Promise<GenerationResult> {
  const startedMs = clock.monotonicMs();
  try {
    const result = await work;
    const { provider, data, normalizations } = result.response;
    const durationMs = clock.monotonicMs() - startedMs;
    metrics.operationEnded({ provider, operation, result: 'succeeded', code: 'ok', durationMs });
    for (const { format, bytes } of data) metrics.imageGenerated({ provider, format, bytes });
    metrics.normalized(normalizations.length);
    return result;
  } catch (thrown) {
    const { provider, bridgeCode: code } = toBridgeError(thrown);
    const durationMs = clock.monotonicMs() - startedMs;
    metrics.operationEnded({ provider, operation, result: 'failed', code, durationMs });
    throw thrown;
  }
}
