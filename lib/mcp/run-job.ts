import { type ImageJob, isTerminal } from '../contract/resources/job.ts';
import type { JobEvent } from '../contract/resources/job-events.ts';
import { abortable } from '../platform/abortable.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import { ApiFailure, type ApiRequest } from './bridge-api.ts';
import type { ToolContext } from './tool.ts';

/** The maximum wait for a job in one call, in seconds. Many clients cancel a call after 60 s. */
export const MAX_WAIT_S = 45;

/** The maximum wait for the id of the job of a cancelled call, in milliseconds. */
const REPLY_MS = 10_000;

/**
 * Creates a job and waits up to `MAX_WAIT_S` seconds for its end. If the client cancels the call, the job is cancelled. An image
 * that is being generated is finished and stored, because many clients cancel calls after a time limit.
 */
export function runJob(body: object, context: ToolContext): Promise<ImageJob> {
  return runCreated('POST /v1/jobs', { body }, context);
}

/** Runs the job that an operation creates, as `runJob` does. */
export async function runCreated(
  operation: string,
  request: Pick<ApiRequest, 'path' | 'body'>,
  context: ToolContext,
): Promise<ImageJob> {
  const { api, clock, signal, keepsJobs = () => false } = context;
  // The request outlasts the call, because the job that it creates must then be cancelled.
  const giveUp = new AbortController();
  const created = api.json<ImageJob>(operation, { ...request, signal: giveUp.signal });
  try {
    return await waitForJob(await abortable(created, signal), MAX_WAIT_S, context);
  } catch (error) {
    if (!signal.aborted) throw error;
    if (keepsJobs()) giveUp.abort(error);
    const end = clock.after(REPLY_MS, () => giveUp.abort(error));
    const job = await created.catch(() => undefined);
    end();
    if (job && !keepsJobs()) await cancelJob(job.id, context);
    throw error;
  }
}

/**
 * Resolves with the ended job, or with the current state of the job after the maximum wait. If requests to the bridge fail,
 * resolves with the last known state, because the job continues and the caller needs its id.
 */
export async function waitForJob(
  job: ImageJob,
  seconds: number,
  { api, clock, signal, progress }: ToolContext,
): Promise<ImageJob> {
  if (seconds === 0 || isTerminal(job.status)) return job;
  const link = linkSignal(signal);
  const cancel = clock.after(seconds * 1000, () => link.abort(new Error('the wait is over')));
  let latest = job;
  try {
    const request = { path: { id: job.id }, signal: link.signal };
    for await (const event of api.events<JobEvent>('GET /v1/jobs/{id}/events', request)) {
      if (event.type === 'snapshot' || event.type === 'ended') latest = event.job;
      if (event.type === 'progress') progress(event.stage);
      if (event.type === 'partial_image') progress(`unfinished image ${event.index + 1}`);
    }
    return latest;
  } catch (error) {
    signal.throwIfAborted();
    if (!(link.signal.aborted || error instanceof ApiFailure)) throw error;
    const request = { path: { id: job.id }, signal };
    return await api.json<ImageJob>('GET /v1/jobs/{id}', request).catch((failure) => {
      if (failure instanceof ApiFailure) return latest;
      throw failure;
    });
  } finally {
    cancel();
    link.end();
  }
}

/** Cancels the job of a cancelled call. Errors are ignored because a cancelled call receives no result. */
async function cancelJob(id: string, { api }: ToolContext): Promise<void> {
  const { signal } = new AbortController();
  const query = { in_flight: 'finish' };
  await api.json('DELETE /v1/jobs/{id}', { path: { id }, query, signal }).catch(() => {});
}
