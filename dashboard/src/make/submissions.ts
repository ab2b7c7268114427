import { type Api, ApiError, unwrap } from '../api/api.ts';
import type { ImageRequest, Job } from '../api/schemas.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { randomId } from './draft.ts';

/**
 * Sends requests as jobs. Each submission has its own idempotency key. If the connection breaks before the reply, the
 * same submission is sent once more and can never create a second job.
 */
export function createSubmissions(api: Api, jobs: Jobs) {
  /** Sends a request, once more if the connection breaks, and shows the job as soon as it can be read. */
  async function accepted(send: (key: string) => Promise<Job>): Promise<Job> {
    const key = randomId();
    const job = await send(key).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'unreachable') return send(key);
      throw error;
    });
    // The job is accepted. If it cannot be read now, the event stream reports it.
    await jobs.readNewest().catch(() => {});
    return job;
  }

  return {
    /** Resolves when the job is durably queued. Throws ApiError. */
    submit: (body: ImageRequest): Promise<Job> =>
      accepted((key) =>
        unwrap(api.POST('/v1/jobs', { params: { header: { 'idempotency-key': key } }, body })),
      ),

    /** Creates a new job from one that ended without success. The bridge has stored its images. */
    retry: (id: string): Promise<Job> =>
      accepted((key) =>
        unwrap(
          api.POST('/v1/jobs/{id}/retry', {
            params: { path: { id }, header: { 'idempotency-key': key } },
          }),
        ),
      ),
  };
}
