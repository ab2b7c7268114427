import type { PendingPublication } from '../../../lib/artifacts/publisher.ts';
import type { Generation, RunningGeneration } from '../../../lib/generation/generation.ts';
import type { VerifiedEvent } from '../../../lib/generation/generation-events.ts';
import type { GenerationRequest } from '../../../lib/generation/generation-request.ts';
import type { GenerationContext, GenerationResult } from '../../../lib/generation/pipeline.ts';
import { jobResult } from '../../support/jobs.ts';

/** One generation that a test controls. */
export interface ScriptedRun {
  readonly request: GenerationRequest;
  readonly context: GenerationContext;
  readonly signal: AbortSignal;
  emit(event: VerifiedEvent): void;
  succeed(): void;
  end(result: GenerationResult): void;
  fail(error: Error): void;
}

/** Returns the result of a generation with one pending image for each of these ids. */
export function resultOf(artifactIds: readonly string[]): GenerationResult {
  const result = jobResult(artifactIds);
  const data = result.data.filter((image) => image.type === 'artifact');
  const publications = data.map((item): PendingPublication => {
    const { id, name, format, width, height, bytes, sha256 } = item;
    const image = { format, width, height, bytes, sha256 };
    return { record: { id, name, ...image, scope: 'anonymous', createdSecs: 1 } };
  });
  return { response: { ...result, data }, publications, remainingMs: () => 60_000 };
}

/** Replaces the pipeline: a test sees each request and decides its outcome. */
export function createScriptedGeneration() {
  const runs: ScriptedRun[] = [];
  /** True if generations stop when their signal aborts. */
  const behavior = { stopsOnAbort: true };

  function run(
    request: GenerationRequest,
    context: GenerationContext,
    signal: AbortSignal,
  ): RunningGeneration {
    let emit = (_event: VerifiedEvent) => {};
    const events = new ReadableStream<VerifiedEvent>({
      start(controller) {
        emit = (event) => controller.enqueue(event);
      },
    });
    const result = new Promise<GenerationResult>((resolve, reject) => {
      const stop = () => behavior.stopsOnAbort && reject(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
      runs.push({
        request,
        context,
        signal,
        end: resolve,
        fail: reject,
        emit: (event) => emit(event),
        succeed: () => resolve(resultOf([])),
      });
    });
    result.catch(() => {});
    return { started: Promise.resolve(), events, ignoreEvents: () => {}, result };
  }

  const generation: Generation = {
    run,
    plannedSpend: () => ({ amount: 0n, isUnknown: false }),
    plan: async () => ({ provider: 'sandbox', model: 'sandbox-image', size: '1024x1024' }),
  };
  return { generation, runs, behavior };
}
