import { ArtifactPath } from '../../lib/contract/resources/artifact.ts';
import { ArtifactCredentials } from '../../lib/contract/resources/artifact-credentials.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/artifacts/{id}/credentials: validates the credentials (C2PA) of an image and returns its chain of manifests. */
export const handler = operation<'artifactCredentials'>()({
  id: 'getArtifactCredentials',
  summary: 'Check the credentials of an artifact',
  protection: 'read',
  request: { path: ArtifactPath },
  reply: {
    status: 200,
    description: 'The result of the check, with the chain of manifests.',
    body: ArtifactCredentials,
  },
  errors: ['not_found', 'artifact', 'overloaded'],
  handle: async ({ path: { id }, context, services }) =>
    ok(await services.artifactCredentials.report(context.scope, id, context.signal())),
});
