import type { HttpBody } from './response-body.ts';

/**
 * Reads the whole body. Returns undefined, without reading the rest, if the body is longer than `maxBytes`. Rejects if the
 * body fails.
 */
export async function readWhole(body: HttpBody, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop destroys the body.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
