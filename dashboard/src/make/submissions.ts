import { type Api, unwrap } from '../api/api.ts';
import type { Job, JobRequest } from '../api/schemas.ts';
import type { CanvasArea } from '../canvas/canvas-area.ts';
import type { UntilAnswered } from '../connection/resending.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { randomId } from './draft.ts';

/**
 * Sends requests as jobs. A request that is sent again after a failed connection keeps its idempotency key, so that it
 * never creates a second job.
 */
export function createSubmissions(api: Api, jobs: Jobs, untilAnswered: UntilAnswered) {
  /** Sends a request until the bridge answers. Then reads the newest jobs to show the new job. */
  async function accepted(send: (key: string) => Promise<Job>): Promise<Job> {
    const key = randomId();
    const job = await untilAnswered(() => send(key));
    // The bridge has accepted the job. If reading the newest jobs fails, the event stream reports the job.
    await jobs.readNewest().catch(() => {});
    return job;
  }

  return {
    /** Resolves when the job is durably queued. Throws ApiError if the request is rejected. */
    submit: (body: JobRequest): Promise<Job> =>
      accepted((key) =>
        unwrap(api.POST('/v1/jobs', { params: { header: { 'idempotency-key': key } }, body })),
      ),

    /** Resolves when the crop of an image of the bridge is durably queued. */
    crop: (id: string, { x, y, width, height }: CanvasArea): Promise<Job> =>
      accepted((key) =>
        unwrap(
          api.POST('/v1/artifacts/{id}/crop', {
            params: { path: { id }, header: { 'idempotency-key': key } },
            body: { x, y, width, height },
          }),
        ),
      ),

    /** Creates a new job from a job that ended without success. The bridge has stored the input images of that job. */
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
