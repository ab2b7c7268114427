import {
  ArtifactHeaders,
  ArtifactPath,
  ArtifactQuery,
} from '../../lib/contract/resources/artifact.ts';
import { fileReply, IMAGE_FILE } from '../../lib/http/reply/file-reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/artifacts/{id}: returns the verified bytes or a range of the bytes, or 304 if the client's copy is current. */
export const handler = operation<'artifacts'>()({
  id: 'getArtifact',
  summary: 'Download an artifact',
  protection: 'read',
  request: { path: ArtifactPath, query: ArtifactQuery, headers: ArtifactHeaders },
  reply: { ...IMAGE_FILE, description: 'The verified bytes of the image.' },
  errors: ['not_found', 'range_not_satisfiable', 'artifact', 'overloaded'],
  async handle({ path, query, event, context, services }) {
    const { record, bytes, sha256 } = await services.artifacts.open(
      context.scope,
      path.id,
      context.signal(),
    );
    return fileReply(event.headers, {
      bytes,
      mediaType: `image/${record.format}`,
      etag: `"${sha256}"`,
      filename: record.name.slice(record.name.lastIndexOf('/') + 1),
      disposition: query.download ? 'attachment' : 'inline',
    });
  },
});
