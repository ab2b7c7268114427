import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

const MAX_BYTES = 128 * 1024 * 1024;

/** Resolves with the whole body. Throws `Refusal` if it is too large. Rejects if the client disconnects. */
export async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > MAX_BYTES) {
      throw new Refusal({ status: 413, code: 'request_too_large', message: 'too large' });
    }
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}
