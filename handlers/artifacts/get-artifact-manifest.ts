import { parse } from 'node:path/posix';
import { ArtifactPath } from '../../lib/contract/resources/artifact.ts';
import { bytes } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/artifacts/{id}/manifest: returns the manifest store (C2PA) of an image as a file, without a check. */
export const handler = operation<'artifactCredentials'>()({
  id: 'getArtifactManifest',
  summary: 'Download the manifest of an artifact',
  protection: 'read',
  request: { path: ArtifactPath },
  reply: {
    status: 200,
    description:
      'The manifest store of the image, with the manifests of its originals. The store is not checked.',
    mediaTypes: ['application/c2pa'],
  },
  errors: ['not_found', 'artifact'],
  async handle({ path: { id }, context, services }) {
    const { name, store } = await services.artifactCredentials.manifest(
      context.scope,
      id,
      context.signal(),
    );
    return bytes(store, {
      'content-type': 'application/c2pa',
      'content-length': String(store.length),
      'content-disposition': `attachment; filename="${parse(name).name}.c2pa"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  },
});
