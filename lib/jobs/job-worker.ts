import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { RunningGeneration } from '../generation/generation.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import type { GenerationResult } from '../generation/generation-result.ts';
import { toStoredSources } from '../inputs/to-input-sources.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { ImageRun, ImageRuns } from '../runs/image-run.ts';
import type { Usage } from '../usage/usage.ts';
import {
  cancellation,
  interruption,
  isInterruption,
  toArtifactResult,
  toJobFailure,
} from './job-end.ts';
import { type JobPublications, trackPublications } from './job-publications.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';
import { createSettleJob } from './settle-job.ts';
import type { LiveJob, LiveJobs } from './streams/live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'settle' | 'addOutput'>;
  readonly live: LiveJobs;
  readonly runs: ImageRuns;
  readonly usage: Pick<Usage, 'chargeOfJob'>;
  readonly publisher: Parameters<typeof trackPublications>[0]['publisher'];
  readonly log: Pick<TraceLog, 'failure'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId' | 'newSpanId'>;
}

/** Runs jobs that have been claimed, each once and to its end, and settles them in the store. */
export function createJobWorker(deps: Deps) {
  const { live, runs, clock, ids } = deps;
  const settle = createSettleJob(deps);
  const ending = new AbortController();

  async function succeed(
    job: JobRecord,
    { response, publications }: GenerationResult,
    { signal }: LiveJob,
  ): Promise<void> {
    const end = {
      status: 'succeeded',
      completedSecs: nowSecs(clock),
      result: toArtifactResult(response),
      publications: publications.map(({ record }) => record.id),
    } as const;
    if (await settle(job, end, signal)) return;
    // Its cancellation was committed before its result, though the signal may not have come yet.
    throw cancellation().with({ details: { provider_stopped: true } });
  }

  /** False when the process stops before the store has taken the end: then the next start finds the job running. */
  async function fail(job: JobRecord, error: BridgeError): Promise<boolean> {
    const status = isInterruption(error)
      ? 'interrupted'
      : error.code === 'cancelled'
        ? 'cancelled'
        : 'failed';
    const end = { status, completedSecs: nowSecs(clock), error: toJobFailure(error) } as const;
    return settle(job, end, ending.signal).then(
      () => true,
      () => false,
    );
  }

  function newRun(job: JobRecord, here: LiveJob, { onPublished }: JobPublications): ImageRun<void> {
    const context = {
      requestId: job.requestId,
      scope: job.scope,
      trace: { traceId: ids.newOpaqueId(), spanId: ids.newSpanId() },
      // A job names its artifacts by their ids: its result holds no address of this bridge.
      baseUrl: '',
      waitsWhenFull: true,
      charge: deps.usage.chargeOfJob({ ...job, images: job.request.parameters.n }),
      onPublished,
    };
    const request = toGenerationRequest(job.request, toStoredSources(job.request));
    return runs.newRun(request, context, {
      commit: (made) => succeed(job, made, here),
      toFailure: (thrown) => toFailure(thrown, here.signal),
      keepsPublications: true,
    });
  }

  async function run(job: JobRecord): Promise<void> {
    const here = live.begin(job);
    const publications = trackPublications(deps, job);
    try {
      const imageRun = newRun(job, here, publications);
      const running = imageRun.start(here.signal);
      void showEvents(running, here);
      // Events that are still unread are of no use once the work has ended.
      const made = await running.result.finally(running.ignoreEvents);
      publications.add(made.publications);
      const { aborted, reason } = here.signal;
      // What was made just when the bridge stops is stored; what a cancelled job has made is not.
      if (aborted && !isInterruption(reason)) throw await imageRun.discard(made, reason);
      await imageRun.commit(made);
    } catch (thrown) {
      const error = toBridgeError(thrown);
      const isStored = await fail(job, error);
      // Only now: until its end is stored, the next start may still make a partial result of them.
      if (isStored && !isInterruption(error)) await publications.discard();
    } finally {
      here.end();
    }
  }

  return {
    /** Resolves when the job has ended and that is durable. Never rejects. */
    run,

    /** Ends all running jobs as interrupted without waiting for the store: the time for any other end is over. */
    interruptAll(): void {
      const reason = interruption();
      live.stopAll(reason);
      ending.abort(reason);
    },
  };
}

/** The failure of a job: one that was stopped fails with the reason for that, and with what is known of its provider. */
function toFailure(thrown: unknown, { aborted, reason }: AbortSignal): BridgeError {
  const error = toBridgeError(thrown);
  if (!aborted) return error;
  if (isInterruption(reason)) return toBridgeError(reason);
  const known = error.code === 'cancelled' ? error : toBridgeError(reason);
  // A provider that did not stop has set this already.
  return known.with({ details: { provider_stopped: true, ...known.details } });
}

async function showEvents({ events }: RunningGeneration, here: LiveJob): Promise<void> {
  for await (const event of events) here.note(event);
}
