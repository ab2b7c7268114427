import { type Api, unwrap } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { ImageRequest, Job } from '../api/schemas.ts';
import type { Jobs } from '../jobs/jobs.ts';

/**
 * Sends requests as jobs. Each submission has an idempotency key of its own: when the connection breaks before the reply,
 * the same submission is sent once more and can never make a second job.
 */
export function createSubmissions(api: Api, jobs: Jobs) {
  /** Sends once more when the connection breaks, and shows the job where it can be read already. */
  async function accepted(send: (key: string) => Promise<Job>): Promise<Job> {
    const key = crypto.randomUUID();
    const job = await send(key).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'unreachable') return send(key);
      throw error;
    });
    // It is accepted: where it cannot be read now, the event stream brings it.
    await jobs.readNewest().catch(() => {});
    return job;
  }

  return {
    /** Resolves when the job is durably queued. Throws ApiError. */
    submit: (body: ImageRequest): Promise<Job> =>
      accepted((key) =>
        unwrap(api.POST('/v1/jobs', { params: { header: { 'idempotency-key': key } }, body })),
      ),

    /** The same as a new job, of one that has ended without success: the bridge has kept its images. */
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
