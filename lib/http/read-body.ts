import type { Readable } from 'node:stream';
import { BridgeError } from '../errors/bridge-error.ts';
import type { HttpEvent } from './http-event.ts';
import type { Middleware } from './stack-request.ts';

/** Refuses a body by its headers alone, before a byte of it is read: too long, encoded, or no JSON. */
export const declaredBody: Middleware = {
  before({ event, context }) {
    const { headers } = event;
    const declared = Number(headers['content-length'] ?? 0);
    if (declared > context.edge.maxBodyBytes) throw tooLarge(context.edge.maxBodyBytes);
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw new BridgeError('unsupported_media_type', 'content-encoding must be identity');
    }
    if (!isJson(headers['content-type'])) {
      throw new BridgeError(
        'unsupported_media_type',
        'content-type must be application/json in UTF-8',
      );
    }
  },
};

/** The whole body in one buffer, counted while it comes. Throws `body_too_large`, `malformed_request`. */
export async function readBody(event: HttpEvent, maxBytes: number): Promise<Buffer> {
  const { body } = event;
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body, event.isBase64Encoded ? 'base64' : 'utf8');
  if (Buffer.isBuffer(body)) {
    if (body.length > maxBytes) throw tooLarge(maxBytes);
    return body;
  }
  return collect(body, Number(event.headers['content-length'] ?? 0), maxBytes);
}

async function collect(stream: Readable, declared: number, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  // With the length known, chunks are copied as they come instead of all at once at the end.
  const whole = declared > 0 ? Buffer.allocUnsafe(declared) : undefined;
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      if (received + chunk.length > maxBytes) {
        settle();
        reject(tooLarge(maxBytes));
        return;
      }
      if (whole) chunk.copy(whole, received);
      else chunks.push(chunk);
      received += chunk.length;
    };
    const onEnd = () => {
      settle();
      resolve();
    };
    const onBroken = () => {
      settle();
      reject(new BridgeError('malformed_request', 'the body ended before it was complete'));
    };
    const settle = () => {
      // Paused, not destroyed: what is left is read and dropped after the answer.
      stream.pause();
      stream.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      stream.on('error', ignore);
    };
    stream.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
  return whole ?? Buffer.concat(chunks, received);
}

// A stream that breaks after its answer was settled must not end the process.
function ignore(): void {}

function tooLarge(maxBytes: number): BridgeError {
  return new BridgeError('body_too_large', 'the body is longer than server.max_body_bytes', {
    details: { max_body_bytes: maxBytes },
  });
}

function isJson(contentType: string | undefined): boolean {
  const match = /^application\/json\s*(?:;\s*charset\s*=\s*"?([^\s";]+)"?\s*)?;?$/i.exec(
    contentType ?? '',
  );
  return match !== null && /^utf-?8$/i.test(match[1] ?? 'utf-8');
}
