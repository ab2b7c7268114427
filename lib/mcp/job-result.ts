import type { ImageResponse } from '../contract/reply/image-response.ts';
import { type ImageJob, isTerminal } from '../contract/resources/job.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { ApiFailure } from './bridge-api.ts';
import type { Content, ToolContext, ToolResult } from './tool.ts';

type Artifact = Extract<ImageResponse['data'][number], { type: 'artifact' }>;

/**
 * The maximum number of previews in a result. All previews together must stay below the size limit of a model for one
 * message.
 */
const MAX_PREVIEWS = 4;

/** Resolves with the result of a job: its images as links with previews, or the reason why there are none. */
export async function toJobResult(job: ImageJob, context: ToolContext): Promise<ToolResult> {
  const { id, status, result, partial_result: partial } = job;
  if (!isTerminal(job.status)) {
    return {
      content: [
        {
          type: 'text',
          text: `Job ${id} is ${status} and continues. Call get_job with {"id": "${id}"} for its images.`,
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

/** Returns the lines about a job that did not succeed. An interrupted job may have finished some of its images. */
function failureOf({ id, status, error }: ImageJob, made: number): string[] {
  return [
    made === 0
      ? `Job ${id} has no images: ${status}.`
      : `Job ${id} was ${status} after ${made === 1 ? '1 image' : `${made} images`}:`,
    ...(error ? [`${error.code}: ${error.message}`, ...error.suggestions] : []),
  ];
}

function headOf({ id }: ImageJob, result: ImageResponse): string[] {
  const { provider, model, data, normalizations, warnings } = result;
  const count = data.length === 1 ? '1 image' : `${data.length} images`;
  return [
    `Job ${id} generated ${count} with ${model} (${provider}).`,
    ...normalizations.map(
      ({ field, requested, effective, reason }) =>
        `${field}: ${JSON.stringify(effective)} instead of ${JSON.stringify(requested)} (${reason}).`,
    ),
    ...(warnings.length > 0 ? [`Warnings: ${warnings.join(', ')}.`] : []),
  ];
}

function lineOf({ id, width, height, format, bytes, name }: Artifact): string {
  return `Image ${id}: ${width}x${height} ${format}, ${bytes} bytes, in the artifact folder as ${name}.`;
}

/** Resolves with previews of the first images. Images that are no longer readable are skipped. */
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

/** Returns the URI of the MCP resource for an artifact. */
export function artifactUri(id: string): string {
  return `image-bridge://artifacts/${id}`;
}

type Reader = Pick<ToolContext, 'api' | 'signal' | 'images'>;

/**
 * The dimensions and the qualities to try until the preview is short enough. The quality is reduced first because a model
 * loses more by fewer pixels than by lower quality. Only images of noise need more than the first attempt.
 */
const EDGES = [768, 512, 320] as const;
const QUALITIES = [85, 50, 20] as const;
const MAX_BYTES = 400_000;

/** Resolves with a WebP of an image for a model, or with undefined if the image was removed or cannot be made small enough. */
export async function readPreview(id: string, reader: Reader): Promise<Content | undefined> {
  try {
    for (const edge of EDGES) {
      const bytes = await previewOf(id, edge, reader);
      if (bytes) return { type: 'image', data: bytes.toString('base64'), mimeType: 'image/webp' };
    }
  } catch (error) {
    if (!(error instanceof ApiFailure || error instanceof BridgeError)) throw error;
  }
  return undefined;
}

/** Resolves with a preview in the best quality that is short enough. */
async function previewOf(
  id: string,
  edge: number,
  { api, signal, images }: Reader,
): Promise<Buffer | undefined> {
  const request = { path: { id }, query: { edge }, signal };
  const { bytes } = await api.bytes('GET /v1/artifacts/{id}/thumbnail', request);
  const engine = await images();
  const thumbnail = await engine.inspect(bytes, signal);
  if (!thumbnail.ok) return undefined;
  for (const compression of QUALITIES) {
    const preview = await engine.convert(thumbnail.image, { format: 'webp', compression }, signal);
    if (preview.length < MAX_BYTES) return preview;
  }
  return undefined;
}
