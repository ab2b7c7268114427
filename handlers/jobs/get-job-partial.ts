import { JobPath } from '../../lib/contract/resources/job.ts';
import { bytes } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/{id}/partial: returns the latest partial image of a running job. Throws `not_found`. */
export const handler = operation<'jobs'>()({
  id: 'getJobPartial',
  summary: 'Read the latest partial image of a running job',
  protection: 'read',
  request: { path: JobPath },
  reply: {
    status: 200,
    description: 'The latest partial image, verified.',
    mediaTypes: ['image/png', 'image/jpeg', 'image/webp'],
    headers: { 'x-partial-index': 'The index among the partial images of the same output.' },
    also: [
      { status: 204, description: 'No partial image is available yet, or the job has ended.' },
    ],
  },
  errors: ['not_found'],
  async handle({ path, context, services }) {
    const partial = await services.jobs.partial(context.scope, path.id);
    const head = { 'cache-control': 'no-store' };
    if (!partial) return bytes(undefined, head, 204);
    const { image, partialIndex } = partial;
    return bytes(image.bytes, {
      ...head,
      'content-type': `image/${image.format}`,
      'content-length': String(image.bytes.length),
      'x-partial-index': String(partialIndex),
    });
  },
});
