import {
  ArtifactHeaders,
  ArtifactPath,
  ArtifactQuery,
} from '../../lib/contract/resources/artifact.ts';
import {
  describeFile,
  fileReply,
  IMAGE_FILE,
  mayRedirect,
  redirectReply,
} from '../../lib/http/reply/file-reply.ts';
import { operation } from '../operation.ts';

/**
 * GET /v1/artifacts/{id}: returns the verified bytes or a range of the bytes, 304 if the client's copy is current, or a redirect to
 * the bucket.
 */
export const handler = operation<'artifacts'>()({
  id: 'getArtifact',
  summary: 'Download an artifact',
  protection: 'read',
  request: { path: ArtifactPath, query: ArtifactQuery, headers: ArtifactHeaders },
  reply: { ...IMAGE_FILE, description: 'The verified bytes of the image.' },
  errors: ['not_found', 'range_not_satisfiable', 'artifact', 'overloaded'],
  async handle({ path, query, event, context, services: { artifacts } }) {
    const disposition = query.download ? 'attachment' : 'inline';
    const link = mayRedirect(event)
      ? await artifacts.link(context.scope, path.id, (record) =>
          describeFile(toFile(record, disposition)),
        )
      : undefined;
    if (link !== undefined) return redirectReply(link);
    const opened = await artifacts.open(context.scope, path.id, context.signal());
    const { record, bytes, sha256 } = opened;
    return fileReply(event.headers, {
      ...toFile(record, disposition),
      bytes,
      etag: `"${sha256}"`,
    });
  },
});

function toFile(
  { format, name }: { readonly format: string; readonly name: string },
  disposition: 'inline' | 'attachment',
) {
  const filename = name.slice(name.lastIndexOf('/') + 1);
  return { mediaType: `image/${format}`, filename, disposition };
}
