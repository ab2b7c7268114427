import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Generation, RunningGeneration } from '../generation/generation.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import type { GenerationResult } from '../generation/generation-result.ts';
import type { StoredInputs } from '../inputs/stored-inputs.ts';
import { toStoredSources } from '../inputs/to-input-sources.ts';
import { createOperationLog, type Traced } from '../log/operation-log.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import {
  cancellation,
  interruption,
  isInterruption,
  toArtifactResult,
  toJobFailure,
} from './job-end.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';
import type { LiveJob, LiveJobs } from './live-jobs.ts';
import { createSettleJob } from './settle-job.ts';

interface Deps {
  readonly store: Pick<JobStore, 'settle'>;
  readonly live: LiveJobs;
  readonly generation: Pick<Generation, 'run'>;
  /** Removes the files of images that become nobody's. */
  readonly publisher: { discard(publications: GenerationResult['publications']): Promise<void> };
  readonly inputs: Pick<StoredInputs, 'removeUnneeded'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId' | 'newSpanId'>;
  readonly log: TraceLog;
}

export type JobWorker = ReturnType<typeof createJobWorker>;

/** Runs jobs that have been claimed, each once and to its end, and writes that down. */
export function createJobWorker(deps: Deps) {
  const { live, generation, publisher, clock, ids } = deps;
  const settle = createSettleJob(deps);
  const lines = createOperationLog(deps.log);
  const ending = new AbortController();

  async function succeed(
    job: JobRecord,
    { response, publications }: GenerationResult,
    here: LiveJob,
  ): Promise<void> {
    const completedSecs = nowSecs(clock);
    const ids = publications.map(({ record }) => record.id);
    let isSettled = false;
    try {
      const result = toArtifactResult(response);
      const end = { status: 'succeeded', completedSecs, result, publications: ids } as const;
      isSettled = await settle(job, end, here.signal);
    } finally {
      // Images of a job that has not succeeded must not stay.
      if (!isSettled) await publisher.discard(publications).catch(() => {});
    }
    // Its cancellation was committed before its result, though the signal may not have come yet.
    if (!isSettled) throw cancellation().with({ details: { provider_stopped: true } });
  }

  async function fail(job: JobRecord, error: BridgeError): Promise<void> {
    const status = isInterruption(error)
      ? 'interrupted'
      : error.code === 'cancelled'
        ? 'cancelled'
        : 'failed';
    const end = { status, completedSecs: nowSecs(clock), error: toJobFailure(error) } as const;
    await settle(job, end, ending.signal);
  }

  async function perform(job: JobRecord, here: LiveJob): Promise<GenerationResult> {
    const { scope, requestId } = job;
    const request = toGenerationRequest(job.request, toStoredSources(job.request));
    // Artifacts are named by their ids: no answer of a job tells an address of this bridge.
    const context = {
      ...{ scope, requestId, baseUrl: '', signal: here.signal },
      isPatient: true,
    };
    const running = generation.run(request, context);
    void follow(running, here);
    // Nobody looks at what it shows once it has ended.
    const made = await running.result.finally(running.ignoreEvents);
    if (!here.signal.aborted) return made;
    await publisher.discard(made.publications).catch(() => {});
    throw here.signal.reason;
  }

  async function run(job: JobRecord): Promise<void> {
    const here = live.begin(job.id);
    const traced: Traced = {
      ...{ traceId: ids.newOpaqueId(), spanId: ids.newSpanId() },
      requestId: job.requestId,
    };
    lines.started(traced);
    try {
      const made = await perform(job, here);
      await succeed(job, made, here);
      lines.succeeded(traced, made.response.provider);
    } catch (thrown) {
      const error = here.signal.aborted ? stopped(thrown, here.signal) : toBridgeError(thrown);
      lines.failed(traced, error);
      // Rejects only when the process stops before the store has taken the end: then the next start finds it running.
      await fail(job, error).catch(() => {});
    } finally {
      here.end();
    }
  }

  return {
    /** Resolves when the job has ended and that is written down. Rejects never. */
    run,

    /** Ends all jobs that run as interrupted, and waits for no store: the time to end them otherwise is over. */
    interruptAll(): void {
      const reason = interruption();
      live.stopAll(reason);
      ending.abort(reason);
    },
  };
}

/** What became of work that was told to stop: what it says itself of that, under the reason why it was stopped. */
function stopped(thrown: unknown, { reason }: AbortSignal): BridgeError {
  if (isInterruption(reason)) return toBridgeError(reason);
  const error = toBridgeError(thrown);
  const said = error.code === 'cancelled' ? error : toBridgeError(reason);
  // What left a provider behind says so itself.
  return said.with({ details: { provider_stopped: true, ...said.details } });
}

async function follow({ events }: RunningGeneration, here: LiveJob): Promise<void> {
  for await (const event of events) here.note(event);
}
