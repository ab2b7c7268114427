import { ApiFailure } from './bridge-api.ts';
import type { Content, ToolContext } from './tool.ts';

/** The longest edges that are tried, in pixels, until one of them is small enough. */
const EDGES = [768, 512, 320] as const;
const MAX_BYTES = 400_000;

/** A thumbnail of an image for a model to look at; undefined when the image was removed, or cannot be made so small. */
export async function readPreview(
  id: string,
  { api, signal }: Pick<ToolContext, 'api' | 'signal'>,
): Promise<Content | undefined> {
  for (const edge of EDGES) {
    try {
      const request = { path: { id }, query: { edge }, signal };
      const { bytes, mediaType } = await api.bytes('GET /v1/artifacts/{id}/thumbnail', request);
      if (bytes.length <= MAX_BYTES) {
        return { type: 'image', data: bytes.toString('base64'), mimeType: mediaType };
      }
    } catch (error) {
      if (error instanceof ApiFailure) return undefined;
      throw error;
    }
  }
  return undefined;
}
