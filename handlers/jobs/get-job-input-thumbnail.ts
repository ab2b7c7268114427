import { ThumbnailHeaders, ThumbnailQuery } from '../../lib/contract/resources/artifact.ts';
import { JobInputPath } from '../../lib/contract/resources/job.ts';
import { THUMBNAIL_FILE, wholeFileReply } from '../../lib/http/reply/file-reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/{id}/inputs/{index}/thumbnail: returns a small PNG of an input image, or 304 if the client's copy is current. */
export const handler = operation<'jobInputs'>()({
  id: 'getJobInputThumbnail',
  summary: 'Download a thumbnail of an input image of a job',
  protection: 'read',
  request: { path: JobInputPath, query: ThumbnailQuery, headers: ThumbnailHeaders },
  reply: THUMBNAIL_FILE,
  errors: ['not_found', 'artifact', 'overloaded'],
  async handle({ path, query, event, context, services }) {
    const { bytes, sha256 } = await services.jobInputs.openThumbnail(
      context.scope,
      path,
      query.edge,
      context.signal(),
    );
    return wholeFileReply(event.headers, {
      bytes,
      mediaType: 'image/png',
      etag: `"${sha256}"`,
      filename: `input-${path.index}-${query.edge}.png`,
      disposition: 'inline',
    });
  },
});
