import type { ImageJob } from '../../lib/contract/resources/job.ts';
import type { JobEvent } from '../../lib/contract/resources/job-events.ts';
import { sleep, stayAwake, systemClock } from '../../lib/platform/clock.ts';
import { RETRIES, RETRY_MS } from './retries.ts';
import type { Service } from './service.ts';
import { ServiceError } from './service-error.ts';

/**
 * Follows a job until it has ended and returns it. A connection that breaks is made again. Rejects with the signal's reason
 * on abort. Throws `ServiceError`.
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
        if (isFinal(error) || failures > RETRIES) throw error;
        return undefined;
      });
      if (ended) return ended;
      await sleep(systemClock, RETRY_MS, signal);
    }
  } finally {
    release();
  }
}

/** Undefined when the stream ends before the job. */
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

/** What another try would not change. A service that stops or is overloaded, and a gateway without one, refuse with 5xx. */
function isFinal(error: unknown): boolean {
  return !(error instanceof ServiceError) || (error.status ?? 500) < 500;
}
