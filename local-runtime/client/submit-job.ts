import type { ImageJob } from '../../lib/contract/resources/job.ts';
import { sleep, stayAwake, systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { toJobsError } from './error-reply.ts';
import type { RequestBody } from './image-request.ts';
import { RETRIES, RETRY_MS } from './retries.ts';
import type { Service } from './service.ts';
import { ServiceError } from './service-error.ts';

/** Creates one job of a request. Throws `ServiceError`. */
export async function submitJob(service: Service, body: RequestBody): Promise<ImageJob> {
  try {
    return await createJob(service, '/v1/jobs', { body });
  } catch (error) {
    throw toJobsError(error);
  }
}

/** Creates one job of an earlier one, at the path of that one. Throws `ServiceError`. */
export function retryJob(service: Service, path: string): Promise<ImageJob> {
  return createJob(service, `${path}/retry`, {});
}

/**
 * When the connection breaks before the reply, the request is sent again with the same idempotency key, so that there is
 * one job whatever has arrived.
 */
async function createJob(
  service: Service,
  path: string,
  content: { readonly body?: RequestBody },
): Promise<ImageJob> {
  const idempotencyKey = createIds(systemClock.nowMs).newUuid();
  const release = stayAwake();
  try {
    let isSent = false;
    for (let failures = 0; ; failures += 1) {
      try {
        return await service.json<ImageJob>(path, { method: 'POST', ...content, idempotencyKey });
      } catch (error) {
        isSent ||= mayBeSent(error);
        if (!isSent || !isPassing(error) || failures === RETRIES) throw error;
      }
      await sleep(systemClock, RETRY_MS, new AbortController().signal);
    }
  } finally {
    release();
  }
}

/** Whether a service may have taken the request although no reply of its own has come. */
function mayBeSent(error: unknown): boolean {
  return error instanceof ServiceError && (error.isBroken || isFromGateway(error));
}

function isPassing(error: unknown): boolean {
  return error instanceof ServiceError && (error.exitCode === 4 || isFromGateway(error));
}

/** A gateway that has lost its connection to the service. */
function isFromGateway({ status }: ServiceError): boolean {
  return status === 502;
}
