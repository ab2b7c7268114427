import type { HttpBody } from './response-body.ts';

/** The whole body; undefined when it is longer than `maxBytes`, of which no more is then read. Rejects as the body does. */
export async function readWhole(body: HttpBody, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // To return from the loop destroys the body.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
