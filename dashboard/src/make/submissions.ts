import { type Api, unwrap } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { ImageRequest, Job } from '../api/schemas.ts';
import type { Jobs } from '../jobs/jobs.ts';

/**
 * Sends requests as jobs. Each submission has an idempotency key of its own: when the connection breaks before the reply,
 * the same submission is sent once more and can never make a second job.
 */
export function createSubmissions(api: Api, jobs: Jobs) {
  async function send(body: ImageRequest, key: string): Promise<Job> {
    return await unwrap(
      api.POST('/v1/jobs', { params: { header: { 'idempotency-key': key } }, body }),
    );
  }

  return {
    /** Resolves when the job is durably queued. Throws ApiError. */
    async submit(request: ImageRequest): Promise<Job> {
      const key = crypto.randomUUID();
      const job = await send(request, key).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'unreachable') return send(request, key);
        throw error;
      });
      // It is accepted: where it cannot be read now, the event stream brings it.
      await jobs.readNewest().catch(() => {});
      return job;
    },
  };
}
