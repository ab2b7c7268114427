import type { Readable } from 'node:stream';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { freeBuffer } from '../../platform/free-buffer.ts';
import { createGrowingBuffer } from '../../platform/growing-buffer.ts';
import type { HttpEvent } from '../http-event.ts';
import type { RequestSpec } from '../operation-spec.ts';
import { callOf, type Middleware, type StackRequest } from '../stack.ts';
import { boundaryOf, isJson } from './media-types.ts';

/** Rejects a body that its headers declare as too long, encoded, or of an unsupported media type. */
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

/** Returns the value of `content-length`, or 0 if the header is missing. */
function declaredBytes({ headers }: HttpEvent): number {
  return Number(headers['content-length'] ?? 0);
}

// The maximum size of one chunk from a socket.
const CHUNK_BYTES = 65_536;

interface ReadOptions {
  /** The number of copies of the body that are in memory while the request is parsed and used. */
  readonly copies: number;
  /** Called from time to time with all bytes received so far. May throw to stop reading. */
  readonly onProgress?: (bytes: Buffer) => void;
}

interface ReceivedBody {
  readonly bytes: Buffer;
  /** Frees the memory of the bytes. The bytes must not be used afterwards. */
  readonly discard: () => void;
}

// Frequent enough to reject an upload early, and rare enough to cost little.
const PROGRESS_BYTES = 262_144;

/**
 * Resolves with the whole body in one buffer. The body counts towards the budget of all bodies until the reply is complete.
 * Throws `body_too_large`, `overloaded` (before a byte is read if the length is known), `request_timeout`,
 * `malformed_request`, `cancelled`, and any error of `onProgress`.
 */
export async function readBody(
  { event, context }: Pick<StackRequest, 'event' | 'context'>,
  { copies, onProgress }: ReadOptions,
): Promise<ReceivedBody> {
  const { body } = event;
  const { maxBodyBytes: maxBytes, bodies } = context.settings;
  if (body === undefined) return { bytes: Buffer.alloc(0), discard() {} };
  const lease = bodies.open(callOf({ context }).caller?.scope ?? '', copies);
  context.onReplied(lease.end);
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    const encoding = event.isBase64Encoded ? 'base64' : 'utf8';
    const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body;
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    lease.count(bytes.length);
    return { bytes, discard() {} };
  }
  const declared = declaredBytes(event);
  lease.take(declared);
  const received = createGrowingBuffer({
    initialBytes: declared || Math.min(CHUNK_BYTES, maxBytes),
    maxBytes,
  });
  let nextProgress = PROGRESS_BYTES;
  try {
    await readStream(body, context, (chunk) => {
      const length = received.length() + chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (length > declared) lease.take(length);
      received.append(chunk);
      freeBuffer(chunk);
      if (!onProgress || length < nextProgress) return;
      nextProgress = length + PROGRESS_BYTES;
      onProgress(received.bytes());
    });
  } catch (error) {
    received.discard();
    lease.end();
    throw error;
  }
  return { bytes: received.bytes(), discard: received.discard };
}

/** Calls `take` for each chunk. Rejects if `take` throws, the client pauses for too long, or the signal aborts. */
function readStream(
  stream: Readable,
  { signal: toSignal, settings: { clock, bodyIdleMs } }: StackRequest['context'],
  take: (chunk: Buffer) => void,
): Promise<void> {
  const signal = toSignal();
  return new Promise<void>((resolve, reject) => {
    const fail = (error: unknown) => {
      settle();
      reject(error);
    };
    const idle = watchIdle(clock, bodyIdleMs, () =>
      fail(new BridgeError('request_timeout', 'timed out while receiving the body')),
    );
    const onData = (chunk: Buffer) => {
      idle.restart();
      try {
        take(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => {
      settle();
      resolve();
    };
    const onBroken = () =>
      fail(new BridgeError('malformed_request', 'the body ended before it was complete'));
    const onAbort = () => fail(signal.reason);
    const settle = () => {
      idle.end();
      // The stream is paused instead of destroyed, because the unread part of the body is drained after the reply.
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

/** Calls `onIdle` after `idleMs` milliseconds without a restart, or never if `idleMs` is 0. */
function watchIdle(clock: Clock, idleMs: number, onIdle: () => void) {
  let lastMs = clock.monotonicMs();
  let end = () => {};
  const wait = (delayMs: number) => {
    end = clock.after(delayMs, () => {
      const leftMs = lastMs + idleMs - clock.monotonicMs();
      if (leftMs > 0) wait(leftMs);
      else onIdle();
    });
  };
  if (idleMs > 0) wait(idleMs);
  return {
    restart() {
      lastMs = clock.monotonicMs();
    },
    end: () => end(),
  };
}

// An error of a stream that is no longer read must not end the process.
function ignore(): void {}

function tooLarge(maxBytes: number): BridgeError {
  return new BridgeError('body_too_large', 'the body is longer than `server.max_body_bytes`', {
    details: { max_body_bytes: maxBytes },
  });
}
