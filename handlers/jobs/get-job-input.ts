import { ArtifactHeaders, ArtifactQuery } from '../../lib/contract/resources/artifact.ts';
import { JobInputPath } from '../../lib/contract/resources/job.ts';
import { fileReply, IMAGE_FILE } from '../../lib/http/reply/file-reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/{id}/inputs/{index}: returns an input image of the job, or a range of its bytes. */
export const handler = operation<'jobInputs'>()({
  id: 'getJobInput',
  summary: 'Download an input image of a job',
  protection: 'read',
  request: { path: JobInputPath, query: ArtifactQuery, headers: ArtifactHeaders },
  reply: { ...IMAGE_FILE, description: 'The verified bytes of the image, unchanged.' },
  errors: ['not_found', 'range_not_satisfiable', 'artifact', 'overloaded'],
  async handle({ path, query, event, context, services }) {
    const { input, bytes, sha256 } = await services.jobInputs.open(
      context.scope,
      path,
      context.signal(),
    );
    const format = input.media_type.slice('image/'.length);
    return fileReply(event.headers, {
      bytes,
      mediaType: input.media_type,
      etag: `"${sha256}"`,
      filename: `input-${path.index}.${format === 'jpeg' ? 'jpg' : format}`,
      disposition: query.download ? 'attachment' : 'inline',
    });
  },
});
