import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpReply, ReplyBody } from '../../lib/http/http-event.ts';
import { EVENT_STREAM_HEADERS } from '../../lib/http/reply/event-stream.ts';

/** One reply as API Gateway takes it from a function. */
export interface FunctionReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

interface Options {
  /** The reply to HEAD has the headers of the reply to GET. */
  readonly isBodiless: boolean;
  /** When it aborts, a stream of events ends where it is. */
  readonly signal: AbortSignal;
}

// A function returns at most 6 MB, in which the body is base64 and the headers have some room.
const MAX_BODY_BYTES = 4_400_000;

/**
 * Encodes a reply: the only place where bytes become base64 for HTTP. Throws `unsupported_capability` when the body is too
 * long, the signal's reason when it aborts before the end of a body that is not events, and what the body throws.
 */
export async function encodeReply(
  { statusCode, headers, body }: HttpReply,
  { isBodiless, signal }: Options,
): Promise<FunctionReply> {
  if (body === undefined || isBodiless) {
    return { statusCode, headers, body: '', isBase64Encoded: false };
  }
  const mayEndEarly = headers['content-type'] === EVENT_STREAM_HEADERS['content-type'];
  const bytes = await collect(body, signal, mayEndEarly);
  return { statusCode, headers, body: bytes.toString('base64'), isBase64Encoded: true };
}

async function collect(
  body: ReplyBody,
  signal: AbortSignal,
  mayEndEarly: boolean,
): Promise<Buffer> {
  if (body instanceof Uint8Array) {
    refuseTooLong(body.byteLength);
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  const aborted = new Promise<undefined>((resolve) => {
    const onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (!next && !mayEndEarly) throw signal.reason;
      if (!next || next.done) return Buffer.concat(pieces);
      length += next.value.byteLength;
      refuseTooLong(length);
      pieces.push(next.value);
    }
  } finally {
    // Not awaited: it may wait for a piece that never comes. The reply no longer depends on it, and so not on its failure.
    iterator.return?.().catch(() => {});
  }
}

function refuseTooLong(bytes: number): void {
  if (bytes <= MAX_BODY_BYTES) return;
  throw new BridgeError(
    'unsupported_capability',
    'the reply is longer than a function can return: request an artifact or a url instead',
  );
}
