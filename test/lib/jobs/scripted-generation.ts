import type { PendingPublication } from '../../../lib/artifacts/publisher.ts';
import type { VerifiedEvent } from '../../../lib/generation/events/generation-event.ts';
import type { Generation, RunningGeneration } from '../../../lib/generation/generation.ts';
import type { GenerationRequest } from '../../../lib/generation/generation-request.ts';
import type { GenerationResult } from '../../../lib/generation/generation-result.ts';
import type { GenerationContext } from '../../../lib/generation/pipeline.ts';
import { jobResult } from '../../support/jobs.ts';

/** One generation that a test controls. */
export interface ScriptedRun {
  readonly request: GenerationRequest;
  readonly context: GenerationContext;
  readonly signal: AbortSignal;
  tell(event: VerifiedEvent): void;
  succeed(): void;
  end(result: GenerationResult): void;
  fail(error: Error): void;
}

/** What comes of a generation: an image under its name for each of these ids, all to be settled. */
export function resultOf(artifactIds: readonly string[]): GenerationResult {
  const result = jobResult(artifactIds);
  const data = result.data.filter((image) => image.type === 'artifact');
  const publications = data.map((item): PendingPublication => {
    const { id, name, format, width, height, bytes, sha256 } = item;
    const image = { format, width, height, bytes, sha256 };
    return { record: { id, name, ...image, scope: 'anonymous', createdSecs: 1 } };
  });
  return { response: { ...result, data }, publications };
}

/** Stands for the pipeline: a test says what comes out of it, and sees what went in. */
export function createScriptedGeneration() {
  const runs: ScriptedRun[] = [];
  /** Whether generations stop when they are told to. */
  const behavior = { stopsOnAbort: true };

  function run(
    request: GenerationRequest,
    context: GenerationContext,
    signal: AbortSignal,
  ): RunningGeneration {
    let tell = (_event: VerifiedEvent) => {};
    const events = new ReadableStream<VerifiedEvent>({
      start(controller) {
        tell = (event) => controller.enqueue(event);
      },
    });
    const result = new Promise<GenerationResult>((resolve, reject) => {
      const leave = () => behavior.stopsOnAbort && reject(signal.reason);
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave);
      runs.push({
        request,
        context,
        signal,
        end: resolve,
        fail: reject,
        tell: (event) => tell(event),
        succeed: () => resolve(resultOf([])),
      });
    });
    result.catch(() => {});
    return { started: Promise.resolve(), events, ignoreEvents: () => {}, result };
  }

  const generation: Generation = {
    run,
    plan: () => ({ provider: 'sandbox', model: 'sandbox-image' }),
  };
  return { generation, runs, behavior };
}
