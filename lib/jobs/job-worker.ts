import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Generation, RunningGeneration } from '../generation/generation.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import type { GenerationResult } from '../generation/generation-result.ts';
import type { StoredInputs } from '../inputs/stored-inputs.ts';
import { createOperationLog, type Traced } from '../log/operation-log.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, nowSecs, sleep } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { interruption, isInterruption, toArtifactResult, toJobFailure } from './job-end.ts';
import type { JobEnd, JobRecord, JobStore } from './job-store-port.ts';
import type { LiveJob, LiveJobs } from './live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'settle'>;
  readonly live: LiveJobs;
  readonly generation: Pick<Generation, 'run'>;
  /** Removes the files of pictures that become nobody's. */
  readonly publisher: { discard(publications: GenerationResult['publications']): Promise<void> };
  readonly inputs: Pick<StoredInputs, 'removeUnneeded'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId' | 'newSpanId'>;
  readonly log: TraceLog;
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

// A store that refuses to write may do so for hours; the end that is to be written waits in memory.
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;

export type JobWorker = ReturnType<typeof createJobWorker>;

/** Runs jobs that have been claimed, each once and to its end, and writes that down. */
export function createJobWorker(deps: Deps) {
  const { store, live, generation, publisher, inputs, clock, ids } = deps;
  const lines = createOperationLog(deps.log);
  const closing = new AbortController();

  /**
   * Writes the end down, however long that takes. Throws what the store says of a publication, and the reason of
   * closing: such a job counts as interrupted at the next start.
   */
  async function settle({ sequence }: JobRecord, end: JobEnd): Promise<boolean> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      try {
        const settled = await store.settle(sequence, end);
        // What cannot be removed now is removed at the next start.
        if (settled) await inputs.removeUnneeded(settled.releasedInputs).catch(() => {});
        return settled !== undefined;
      } catch (thrown) {
        if (toBridgeError(thrown).code !== 'overloaded') throw thrown;
        await sleep(clock, waitMs, closing.signal);
      }
    }
  }

  async function succeed(job: JobRecord, { response, publications }: GenerationResult) {
    const completedSecs = nowSecs(clock);
    const result = toArtifactResult(response);
    const names = publications.map(({ record }) => record.id);
    try {
      const end = { status: 'succeeded', completedSecs, result, publications: names } as const;
      if (await settle(job, end)) return;
    } catch (failure) {
      await publisher.discard(publications).catch(() => {});
      throw failure;
    }
    // Somebody else has ended the job: its pictures must not stay.
    await publisher.discard(publications).catch(() => {});
  }

  async function fail(job: JobRecord, error: BridgeError): Promise<void> {
    const status = isInterruption(error)
      ? 'interrupted'
      : error.code === 'cancelled'
        ? 'cancelled'
        : 'failed';
    await settle(job, { status, completedSecs: nowSecs(clock), error: toJobFailure(error) });
  }

  async function perform(job: JobRecord, here: LiveJob): Promise<GenerationResult> {
    const { scope, requestId } = job;
    const request = toGenerationRequest(job.request, deps.maxInputBytes);
    // Artifacts are named by their ids: no answer of a job tells an address of this bridge.
    const context = { scope, requestId, baseUrl: '', signal: here.signal };
    const running = generation.run(request, context);
    void follow(running, here);
    const made = await running.result;
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
      await succeed(job, made);
      lines.succeeded(traced, made.response.provider);
    } catch (thrown) {
      const error = here.signal.aborted ? stopped(thrown, here.signal) : toBridgeError(thrown);
      lines.failed(traced, error);
      // Closing may leave it as it is: it counts as interrupted at the next start.
      await fail(job, error).catch(() => {});
    } finally {
      here.end();
    }
  }

  return {
    /** Resolves when the job has ended and that is written down. Rejects never. */
    run,

    /** Ends all jobs that run as interrupted: the time to end them otherwise is over. */
    interruptAll(): void {
      live.stopAll(interruption());
    },

    /** Gives up what the store still refuses to take. */
    close(): void {
      closing.abort(interruption());
    },
  };
}

/** What became of work that was told to stop: what it says itself of that, under the reason why it was stopped. */
function stopped(thrown: unknown, { reason }: AbortSignal): BridgeError {
  const error = toBridgeError(thrown);
  if (isInterruption(reason)) return toBridgeError(reason);
  return error.code === 'cancelled' ? error : toBridgeError(reason);
}

async function follow({ events }: RunningGeneration, here: LiveJob): Promise<void> {
  for await (const event of events) here.note(event);
}
