import { startDeadline } from '../admission/deadline.ts';
import type { InputFacts, InputSet } from '../inputs/input-source.ts';
import { firstPlan } from './call/run-routes.ts';
import { toTurnRequest } from './call/session-turns.ts';
import { countOperation } from './count-operation.ts';
import { createEventQueue } from './events/event-queue.ts';
import type { VerifiedEvent } from './events/generation-event.ts';
import { createVerifyPartials } from './events/verify-partials.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { GenerationResult } from './generation-result.ts';
import { createPipeline, type GenerationContext, type PipelineDeps } from './pipeline.ts';
import { makePlan } from './plan/plan.ts';
import { resolveCandidates, toRoute } from './plan/routing.ts';

interface Deps extends PipelineDeps {
  readonly settings: PipelineDeps['settings'] & { readonly default_timeout_ms: number };
}

/** A generation that runs. */
export interface RunningGeneration {
  /** Settles once the work is queued or running; a rejection is a refusal before anything was dispatched. */
  readonly started: Promise<void>;
  /** For one reader, at its pace. They end with the result or the failure. */
  readonly events: AsyncIterable<VerifiedEvent>;
  /** Discards all events; a reader comes to their end. */
  ignoreEvents(): void;
  /** Rejects with a `BridgeError`, a refusal included. */
  readonly result: Promise<GenerationResult>;
}

/** Where a request goes first, and the size that it asks for there: `auto`, or `WxH` in pixels. */
export interface PlannedRoute {
  readonly provider: string;
  readonly model: string;
  readonly size: string;
}

export type Generation = ReturnType<typeof createGeneration>;

/** Runs the pipeline under a deadline, with its events and its counters. */
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
      const counted = countOperation(metrics, clock, request);
      const progress = { deadline, client: signal, onEvent: queue.push, onAdmitted: admit };
      const result = counted(runPipeline(request, context, progress)).finally(() => {
        deadline.end();
        queue.end();
      });
      const started = Promise.race([admitted, result.then(() => {})]);
      // A caller that reads one of them only must not be ended by an unhandled rejection of the other.
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

    /**
     * Where the request would go first, without loading or sending anything; `inputs` is all that is known of its images. Throws what refuses it on every route that it
     * may take, `session_not_found` included.
     */
    async plan(
      request: GenerationRequest,
      context: Pick<GenerationContext, 'requestId' | 'scope'>,
      inputs?: InputSet<InputFacts>,
    ): Promise<PlannedRoute> {
      const { registry, sessions } = deps;
      const candidates = resolveCandidates(request.routing, registry);
      const { ask, report } = firstPlan(candidates, request.routing.fallback_policy, (candidate) =>
        makePlan(context.requestId, request, toRoute(candidate, registry), inputs),
      );
      const turn = toTurnRequest(ask, context);
      if (turn) await sessions.check(turn);
      const { provider, model, effective } = report.record;
      return { provider, model, size: effective.size };
    },
  };
}
