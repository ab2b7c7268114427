import type { ImageResponse } from '../contract/reply/image-response.ts';
import type { ImageJob } from '../contract/resources/job.ts';
import { readPreview } from './preview.ts';
import { hasEnded } from './run-job.ts';
import type { Content, ToolContext, ToolResult } from './tool.ts';

type Artifact = Extract<ImageResponse['data'][number], { type: 'artifact' }>;

/** A result shows at most so many previews: together they stay below what a model takes in one message. */
const MAX_PREVIEWS = 4;

/** What became of a job: its images as links with previews, or why there are none. */
export async function toJobResult(job: ImageJob, context: ToolContext): Promise<ToolResult> {
  const { id, status, result, partial_result: partial } = job;
  if (!hasEnded(job)) {
    return {
      content: [
        {
          type: 'text',
          text: `Job ${id} is ${status}. Nothing is lost: call get_job with {"id": "${id}"} for its images.`,
        },
      ],
    };
  }
  const data = (result ?? partial)?.data ?? [];
  const images = data.filter((image) => image.type === 'artifact');
  const head = result ? headOf(job, result) : failureOf(job, images.length);
  return {
    content: [
      { type: 'text', text: [...head, ...images.map(lineOf)].join('\n') },
      ...(await previews(images, context)),
      ...images.map(toLink),
    ],
    isError: !result,
  };
}

/** Why a job has not succeeded. One that was interrupted may have finished some of its images. */
function failureOf({ id, status, error }: ImageJob, made: number): string[] {
  return [
    made === 0
      ? `Job ${id} has no images: ${status}.`
      : `Job ${id} was ${status}, with ${made} made:`,
    ...(error ? [`${error.code}: ${error.message}`, ...error.suggestions] : []),
  ];
}

function headOf({ id }: ImageJob, result: ImageResponse): string[] {
  const { provider, model, data, normalizations, warnings } = result;
  const count = data.length === 1 ? '1 image' : `${data.length} images`;
  return [
    `Job ${id} has made ${count} with ${model} (${provider}).`,
    ...normalizations.map(
      ({ field, requested, effective, reason }) =>
        `${field}: asked for ${JSON.stringify(requested)}, made with ${JSON.stringify(effective)} (${reason}).`,
    ),
    ...(warnings.length > 0 ? [`Warnings: ${warnings.join(', ')}.`] : []),
  ];
}

function lineOf({ id, width, height, format, bytes, name }: Artifact): string {
  return `Image ${id}: ${width}x${height} ${format}, ${bytes} bytes, in the artifact folder as ${name}.`;
}

/** Those that cannot be read any longer are left out. */
async function previews(
  images: readonly Artifact[],
  context: ToolContext,
): Promise<readonly Content[]> {
  const found: Content[] = [];
  for (const { id } of images.slice(0, MAX_PREVIEWS)) {
    const preview = await readPreview(id, context);
    if (preview) found.push(preview);
  }
  return found;
}

function toLink({ id, name, format, bytes }: Artifact): Content {
  return {
    type: 'resource_link',
    uri: artifactUri(id),
    name,
    mimeType: `image/${format}`,
    size: bytes,
  };
}

export function artifactUri(id: string): string {
  return `image-bridge://artifacts/${id}`;
}
