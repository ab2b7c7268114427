import type * as v from 'valibot';
import type { ImageJob, JobCreate } from '../../lib/contract/resources/job.ts';
import type { JobEvent } from '../../lib/contract/resources/job-events.ts';
import { sleep, stayAwake, systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import type { Service } from './service.ts';
import { ServiceError, toJobsError } from './service-error.ts';

/** The body of `POST /v1/jobs`. */
export type RequestBody = v.InferInput<typeof JobCreate>;

/** Creates a job from a request. Throws `ServiceError`. */
export async function submitJob(service: Service, body: RequestBody): Promise<ImageJob> {
  try {
    return await createJob(service, '/v1/jobs', { body });
  } catch (error) {
    throw toJobsError(error);
  }
}

/**
 * Creates a job with a POST request to `path`. If the connection breaks before the reply, sends the request again with the
 * same idempotency key, so that at most one job is created. Throws `ServiceError`.
 */
export async function createJob(
  service: Service,
  path: string,
  content: { readonly body?: object },
): Promise<ImageJob> {
  const idempotencyKey = createIds(systemClock.nowMs).newUuid();
  const release = stayAwake();
  try {
    let isSent = false;
    for (let failures = 0; ; failures += 1) {
      try {
        return await service.json<ImageJob>(path, { method: 'POST', ...content, idempotencyKey });
      } catch (error) {
        if (!(error instanceof ServiceError) || failures === RETRIES) throw error;
        const { isBroken, exitCode, status } = error;
        // A gateway replies with 502 if its connection to the service breaks.
        const isFromGateway = status === 502;
        // From this failure on, the service may have received the request although no reply arrived.
        isSent ||= isBroken || isFromGateway;
        if (!isSent || (exitCode !== 4 && !isFromGateway)) throw error;
      }
      await sleep(systemClock, RETRY_MS, new AbortController().signal);
    }
  } finally {
    release();
  }
}

/**
 * Follows a job until it ends and resolves with the job. Reconnects if the connection breaks. Rejects with the signal's
 * reason on abort. Throws `ServiceError`.
 */
export async function followJob(
  service: Service,
  id: string,
  onEvent: (event: JobEvent) => void,
  signal: AbortSignal,
): Promise<ImageJob> {
  const release = stayAwake();
  try {
    let failures = 0;
    const note = (event: JobEvent) => {
      failures = 0;
      onEvent(event);
    };
    for (;;) {
      const ended = await readEvents(service, id, note, signal).catch((error: unknown) => {
        failures += 1;
        // A service that is stopping or overloaded, or a gateway without a service, replies with a 5xx status. All other error
        // replies are final.
        const isFinal = !(error instanceof ServiceError) || (error.status ?? 500) < 500;
        if (isFinal || failures > RETRIES) throw error;
        return undefined;
      });
      if (ended) return ended;
      await sleep(systemClock, RETRY_MS, signal);
    }
  } finally {
    release();
  }
}

/** Reads one event stream. Resolves with undefined if the stream ends before the job ends. */
async function readEvents(
  service: Service,
  id: string,
  onEvent: (event: JobEvent) => void,
  signal: AbortSignal,
): Promise<ImageJob | undefined> {
  const path = `/v1/jobs/${encodeURIComponent(id)}/events`;
  for await (const event of service.events<JobEvent>(path, signal)) {
    if (event.type === 'ended') return event.job;
    onEvent(event);
  }
  return undefined;
}

/** The maximum number of retries. Together the retries last longer than a restart or an upgrade of a service. */
const RETRIES = 30;

const RETRY_MS = 1000;
