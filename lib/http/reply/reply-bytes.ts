import type { ReplyBody } from '../http-event.ts';

/** Yields the chunks of a reply as copies, for a reader that keeps a chunk when it requests the next one. */
export async function* copiedChunks(body: ReplyBody = Buffer.alloc(0)): AsyncGenerator<Buffer> {
  if (body instanceof Uint8Array) yield Buffer.from(body);
  else for await (const chunk of body) yield Buffer.from(chunk);
}

/**
 * Resolves with the whole body of a reply. `checkLength` receives the number of bytes so far, and can throw to end the reading.
 */
export async function replyBytes(
  body?: ReplyBody,
  checkLength: (bytes: number) => void = () => {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of copiedChunks(body)) {
    length += chunk.length;
    checkLength(length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
