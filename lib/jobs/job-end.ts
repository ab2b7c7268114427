import type { ImageResponse, ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import { isTerminal } from '../contract/resources/job.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { fromStoredError, toStoredError } from '../errors/error-body.ts';
import { isInterruption } from '../errors/interruption.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { JobNotices } from './job-notices-port.ts';
import type { InFlight, JobRecord, JobStore } from './job-store-port.ts';
import type { LiveJobs } from './live-jobs.ts';

/** Returns the final status of a job that fails with this error. */
export function endOf(error: BridgeError) {
  if (isInterruption(error)) return 'interrupted';
  return error.code === 'cancelled' ? 'cancelled' : 'failed';
}

/** Returns the error of a job that its owner cancelled. */
export function cancellation(): BridgeError {
  return new BridgeError('cancelled', 'the job was cancelled');
}

/** Returns the error of a job that the operator of the queue cancelled. */
export function operatorCancellation(): BridgeError {
  return cancellation().with({ details: { reason: 'operator' } });
}

/** Returns the given job. Throws `not_found` if the job is undefined. */
export function foundJob<T>(job: T | undefined): T {
  if (job === undefined) throw new BridgeError('not_found', 'job not found');
  return job;
}

/**
 * Returns the response as the result of a job. The result contains no image bytes, because the images of a job are artifacts.
 * Throws `internal` if an image is not an artifact.
 */
export function toArtifactResult(response: ImageResponseWithBytes): ImageResponse {
  const data = response.data.map((image) => {
    if (image.type === 'artifact') return image;
    throw new BridgeError('internal', 'the job returned an image that is not an artifact');
  });
  return { ...response, data };
}

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'cancel' | 'listCancellations' | 'settle'>;
  readonly notices: JobNotices;
  readonly live: Pick<LiveJobs, 'stop' | 'isIdle'>;
  readonly clock: Clock;
}

export type CancelJob = ReturnType<typeof createCancelJob>['cancelJob'];

/**
 * Creates the functions that cancel jobs. Owners of jobs, the operator and the bridge itself use `cancelJob`. Also stops the jobs of
 * this process whose cancellation another process requests.
 */
export function createCancelJob({ store, notices, live, clock }: Deps) {
  notices.subscribe(({ type }) => {
    if ((type === 'cancelling' || type === 'missed') && !live.isIdle()) void stopCancelled();
  });

  /** Stops the jobs of this process whose cancellation is requested. */
  async function stopCancelled(): Promise<void> {
    try {
      for (const { error, inFlight, ...job } of await store.listCancellations()) {
        await stop(job, fromStoredError(error), inFlight);
      }
    } catch {
      // The next notice reads the requests again. If no notice follows, `settle` still rejects the success of a cancelled job.
    }
  }

  /**
   * Stops a running job of this process, and resolves with true if the job runs here. Otherwise ends the job if the store still
   * marks the job as running in this process.
   */
  async function stop(
    { id, sequence }: Pick<JobRecord, 'id' | 'sequence'>,
    error: BridgeError,
    inFlight: InFlight,
  ): Promise<boolean> {
    if (await live.stop(id, error, inFlight)) return true;
    const unknown = toStoredError(error.with({ details: { outcome: 'unknown' } }));
    const end = { status: 'cancelled', completedSecs: nowSecs(clock), error: unknown } as const;
    // `settle` resolves with false if another process runs the job.
    await store.settle(sequence, end);
    return false;
  }

  /**
   * Cancels a job, so that the job ends with `error`. A queued job ends immediately. A running job sends no further provider
   * calls. If `inFlight` is `stop`, its calls in flight are stopped; if `finish`, the calls finish and their images are kept. A
   * job that the store marks as running in this process, but that does not run, ends immediately with an unknown outcome. If
   * another process runs the job, that process stops and ends the job. If `isOnlyQueued` is true, a running job continues unchanged.
   * Resolves with the job in its new state, or with undefined if the job does not exist. Throws `overloaded`.
   */
  async function cancelJob(
    scope: string,
    id: string,
    error: BridgeError,
    inFlight: InFlight = 'stop',
    isOnlyQueued = false,
  ): Promise<JobRecord | undefined> {
    const request = { atSecs: nowSecs(clock), error: toStoredError(error), inFlight, isOnlyQueued };
    const job = await store.cancel(scope, id, request);
    if (!job || isTerminal(job.status) || isOnlyQueued) return job;
    // The work is stopped only after the request for cancellation is durable.
    return (await stop(job, error, inFlight)) ? job : store.find(scope, id);
  }

  return { cancelJob, stopCancelled };
}
