import type { Readable } from 'node:stream';
import { BridgeError } from '../../errors/bridge-error.ts';
import { createGrowingBuffer } from '../../platform/growing-buffer.ts';
import type { HttpEvent } from '../http-event.ts';
import type { RequestSpec } from '../operation-spec.ts';
import type { Middleware, StackRequest } from '../stack-request.ts';
import { boundaryOf, isJson } from './media-types.ts';

/** Refuses a body by its headers, before it is read: too long, encoded, or of an unsupported media type. */
export function declaredBody({ body, form }: RequestSpec): Middleware {
  const types = [
    ...(body ? ['application/json in UTF-8'] : []),
    ...(form ? ['multipart/form-data'] : []),
  ];
  return {
    before({ event, context }) {
      const { headers } = event;
      if (declaredBytes(event) > context.settings.maxBodyBytes) {
        throw tooLarge(context.settings.maxBodyBytes);
      }
      const encoding = headers['content-encoding'];
      if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
        throw new BridgeError('unsupported_media_type', 'content-encoding must be identity');
      }
      const type = headers['content-type'];
      if (body && isJson(type)) return;
      if (form && boundaryOf(type) !== undefined) return;
      throw new BridgeError('unsupported_media_type', `content-type must be ${types.join(' or ')}`);
    },
  };
}

/** 0 when the head does not say. */
function declaredBytes({ headers }: HttpEvent): number {
  return Number(headers['content-length'] ?? 0);
}

// What one chunk of a socket holds at most.
const CHUNK_BYTES = 65_536;

/** Gets all bytes received so far, and may throw to stop the reading. */
type OnProgress = (bytes: Buffer) => void;

// Often enough to refuse an upload early, seldom enough to cost little.
const PROGRESS_BYTES = 262_144;

/**
 * The whole body in one buffer, counted while it is received. Throws `body_too_large`, `malformed_request`, `cancelled`, and
 * what `onProgress` throws, which is not called for the last bytes.
 */
export async function readBody(
  { event, context }: Pick<StackRequest, 'event' | 'context'>,
  onProgress?: OnProgress,
): Promise<Buffer> {
  const { body } = event;
  const maxBytes = context.settings.maxBodyBytes;
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    const encoding = event.isBase64Encoded ? 'base64' : 'utf8';
    const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body;
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    return bytes;
  }
  const received = createGrowingBuffer({
    initialBytes: declaredBytes(event) || Math.min(CHUNK_BYTES, maxBytes),
    maxBytes,
  });
  let nextProgress = PROGRESS_BYTES;
  await readStream(body, context.signal(), (chunk) => {
    const length = received.length() + chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    received.append(chunk);
    if (!onProgress || length < nextProgress) return;
    nextProgress = length + PROGRESS_BYTES;
    onProgress(received.bytes());
  });
  return received.bytes();
}

/** Calls `take` for each chunk. Stops when it throws or when the signal aborts. */
function readStream(
  stream: Readable,
  signal: AbortSignal,
  take: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        settle();
        reject(error);
      }
    };
    const onEnd = () => {
      settle();
      resolve();
    };
    const onBroken = () => {
      settle();
      reject(new BridgeError('malformed_request', 'the body ended before it was complete'));
    };
    const onAbort = () => {
      settle();
      reject(signal.reason);
    };
    const settle = () => {
      // Paused, not destroyed: the rest is drained after the reply.
      stream.pause();
      stream.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      stream.on('error', ignore);
      signal.removeEventListener('abort', onAbort);
    };
    stream.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

// An error of a stream that is no longer read must not end the process.
function ignore(): void {}

function tooLarge(maxBytes: number): BridgeError {
  return new BridgeError('body_too_large', 'the body is longer than server.max_body_bytes', {
    details: { max_body_bytes: maxBytes },
  });
}
