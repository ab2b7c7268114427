import { BridgeError } from '../errors/bridge-error.ts';
import { ApiFailure } from './bridge-api.ts';
import type { Content, ToolContext } from './tool.ts';

type Reader = Pick<ToolContext, 'api' | 'signal' | 'images'>;

/**
 * The longest edges and the qualities that are tried, until the preview is short enough: a model loses more with the
 * pixels than with the quality. Only noise needs more than the first attempt.
 */
const EDGES = [768, 512, 320] as const;
const QUALITIES = [85, 50, 20] as const;
const MAX_BYTES = 400_000;

/** An image for a model to look at, as a WebP; undefined when the image was removed, or cannot be made so small. */
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

/** With the best quality that is short enough. */
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
