import { IdempotencyHeaders, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { ArtifactPath } from '../../lib/contract/resources/artifact.ts';
import { ArtifactCrop } from '../../lib/contract/resources/artifact-crop.ts';
import { ImageJob } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/artifacts/{id}/crop: queues a job that crops one image without a model. Throws `not_found`. */
export const handler = operation<'artifactCrops'>()({
  id: 'cropArtifact',
  summary: 'Crop an artifact without a model, free of charge',
  protection: 'jobs',
  request: { path: ArtifactPath, headers: IdempotencyHeaders, body: ArtifactCrop },
  reply: {
    status: 202,
    description: 'The job of the crop, whose result is a new artifact.',
    body: ImageJob,
    headers: {
      location: 'The URL of the job.',
      'idempotent-replayed':
        'Present and `true` if an earlier equal request with the key created the job.',
    },
  },
  errors: ['not_found', 'input', 'idempotency_conflict', 'rate_limited', 'overloaded', 'artifact'],
  async handle({ path, body, context, services }) {
    const { job, replayed } = await services.artifactCrops.crop(path.id, body, context);
    return ok(job, { location: `/v1/jobs/${job.id}`, ...(replayed ? REPLAYED : {}) });
  },
});
