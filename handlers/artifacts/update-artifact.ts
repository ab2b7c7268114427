import {
  ArtifactPatch,
  ArtifactPath,
  MarkedArtifact,
} from '../../lib/contract/resources/artifact.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** PATCH /v1/artifacts/{id}: marks, hides or annotates one image of a job. Throws `not_found`. */
export const handler = operation<'imageMarks'>()({
  id: 'updateArtifact',
  summary: 'Mark, hide or annotate an artifact',
  protection: 'jobs',
  request: { path: ArtifactPath, body: ArtifactPatch },
  reply: { status: 200, description: 'The changed image.', body: MarkedArtifact },
  errors: ['not_found', 'overloaded'],
  handle: async ({ path, body, context, services }) =>
    ok(await services.imageMarks.update(context.scope, path.id, body)),
});
