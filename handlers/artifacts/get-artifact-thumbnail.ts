import {
  ArtifactPath,
  ThumbnailHeaders,
  ThumbnailQuery,
} from '../../lib/contract/resources/artifact.ts';
import { THUMBNAIL_FILE, wholeFileReply } from '../../lib/http/reply/file-reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/artifacts/{id}/thumbnail: returns a small PNG of an image, or 304 if the client's copy is current. */
export const handler = operation<'artifacts'>()({
  id: 'getArtifactThumbnail',
  summary: 'Download a thumbnail of an artifact',
  protection: 'read',
  request: { path: ArtifactPath, query: ThumbnailQuery, headers: ThumbnailHeaders },
  reply: THUMBNAIL_FILE,
  errors: ['not_found', 'artifact', 'overloaded'],
  async handle({ path, query, event, context, services }) {
    const { record, bytes, sha256 } = await services.artifacts.openThumbnail(
      context.scope,
      path.id,
      query.edge,
      context.signal(),
    );
    const filename = record.name.slice(record.name.lastIndexOf('/') + 1);
    return wholeFileReply(event.headers, {
      bytes,
      mediaType: 'image/png',
      etag: `"${sha256}"`,
      filename: `${filename.slice(0, filename.lastIndexOf('.'))}-${query.edge}.png`,
      disposition: 'inline',
    });
  },
});
