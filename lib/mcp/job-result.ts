import type { ImageResponse } from '../contract/reply/image-response.ts';
import { type ImageJob, isTerminal } from '../contract/resources/job.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { ApiFailure } from './bridge-api.ts';
import { type Content, type ToolContext, type ToolResult, textResult } from './tool.ts';

type Artifact = Extract<ImageResponse['data'][number], { type: 'artifact' }>;

/** The maximum number of previews in a result, because models limit the size of a message. */
const MAX_PREVIEWS = 4;

/** Resolves with the result of a job: links and previews of its images, or the reason why the job has no images. */
export async function toJobResult(job: ImageJob, context: ToolContext): Promise<ToolResult> {
  const { id, status, result, partial_result: partial } = job;
  if (!isTerminal(job.status)) {
    return textResult(
      `Job ${id} is ${status} and continues. Call get_job with {"id": "${id}"} for its images.`,
    );
  }
  const data = (result ?? partial)?.data ?? [];
  const images = data.filter((image) => image.type === 'artifact');
  const head = result ? headOf(job, result) : failureOf(job, images.length);
  const previews: Content[] = [];
  for (const image of images.slice(0, MAX_PREVIEWS)) {
    const preview = await readPreview(image.id, context);
    if (preview) previews.push(preview);
  }
  return {
    content: [
      { type: 'text', text: [...head, ...images.map(lineOf)].join('\n') },
      ...previews,
      ...images.map(toLink),
    ],
    isError: !result,
  };
}

/** Returns the lines about a job that did not succeed but may have finished some of its images. */
function failureOf({ id, status, error, retried_as: retry }: ImageJob, made: number): string[] {
  return [
    made === 0
      ? `Job ${id} has no images: ${status}.`
      : `Job ${id} was ${status} after ${made === 1 ? '1 image' : `${made} images`}:`,
    ...(error ? [`${error.code}: ${error.message}`, ...error.suggestions] : []),
    ...(retry ? [`Job ${retry} retries job ${id}. Call get_job with {"id": "${retry}"}.`] : []),
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

function lineOf({ id, width, height, format, bytes, name, provenance }: Artifact): string {
  const facts = `${width}x${height} ${format}, ${bytes} bytes, in the artifact folder as ${name}`;
  return `Image ${id}: ${facts}.${toCredentialText(provenance)}`;
}

/** Returns a sentence about the credentials (C2PA) of an image. Empty if no credentials were found or made. */
function toCredentialText(provenance: Artifact['provenance']): string {
  if (provenance === undefined || provenance.credentials === 'none') return '';
  const { credentials, reason, found } = provenance;
  return ` Credentials (C2PA): ${credentials}${reason === undefined ? '' : ` (${reason})`}, found: ${found}.`;
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

/** Returns the URI of an artifact as an MCP resource. */
export function artifactUri(id: string): string {
  return `image-bridge://artifacts/${id}`;
}

type Reader = Pick<ToolContext, 'api' | 'signal' | 'images'>;

/**
 * The sizes and qualities to try until the preview is small enough. The quality is reduced first, because fewer pixels are worse
 * for a model than a lower quality. Only images of noise need more than the first attempt.
 */
const EDGES = [768, 512, 320] as const;
const QUALITIES = [85, 50, 20] as const;
const MAX_BYTES = 400_000;

/** Resolves with a WebP preview, or with undefined if the image was removed or no preview is small enough. */
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

/** Resolves with the preview in the best quality that is small enough, or undefined if there is none. */
async function previewOf(
  id: string,
  edge: number,
  { api, signal, images }: Reader,
): Promise<Buffer | undefined> {
  const request = { path: { id }, query: { edge }, signal };
  const { bytes } = await api.bytes('GET /v1/artifacts/{id}/thumbnail', request);
  const engine = await images();
  const thumbnail = await engine.check(bytes, signal);
  if (!thumbnail.ok) return undefined;
  for (const compression of QUALITIES) {
    const preview = await engine.convert(thumbnail.image, { format: 'webp', compression }, signal);
    if (preview.length < MAX_BYTES) return preview;
  }
  return undefined;
}
