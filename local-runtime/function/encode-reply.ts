import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpReply, ReplyBody } from '../../lib/http/http-event.ts';
import { toErrorReply } from '../../lib/http/reply/error-reply.ts';
import type { Ids } from '../../lib/platform/ids.ts';

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
  /** When it aborts, a stream ends where it is. */
  readonly signal: AbortSignal;
  readonly ids: Ids;
}

// A function returns at most 6 MB, in which the body is base64 and the headers have some room.
const MAX_BODY_BYTES = 4_400_000;

/** Encodes a reply: the only place where bytes become base64 for HTTP. A body that is too long becomes an error reply. */
export async function encodeReply(reply: HttpReply, options: Options): Promise<FunctionReply> {
  const { statusCode, headers, body } = reply;
  if (body === undefined || options.isBodiless) {
    return { statusCode, headers, body: '', isBase64Encoded: false };
  }
  const bytes = await collect(body, options.signal);
  if (bytes) return { statusCode, headers, body: bytes.toString('base64'), isBase64Encoded: true };
  return encodeReply(toTooLong(headers, options.ids), options);
}

/** All bytes; undefined when they are more than fit. */
async function collect(body: ReplyBody, signal: AbortSignal): Promise<Buffer | undefined> {
  if (body instanceof Uint8Array) {
    if (body.byteLength > MAX_BODY_BYTES) return undefined;
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  const ended = new Promise<{ readonly done: true }>((resolve) => {
    const end = () => resolve({ done: true });
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
  const iterator = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), ended]);
    if (next.done) break;
    length += next.value.byteLength;
    if (length > MAX_BODY_BYTES) break;
    pieces.push(next.value);
  }
  // Not awaited: it may wait for a piece that never comes. Without effect where the body has ended.
  void iterator.return?.();
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(pieces);
}

function toTooLong(headers: HttpReply['headers'], ids: Ids): HttpReply {
  const id = headers['x-request-id'] ?? ids.newUuid();
  const error = new BridgeError(
    'unsupported_capability',
    'the reply is longer than a function can return: request an artifact or a url instead',
  );
  const reply = toErrorReply(error, id);
  return { ...reply, headers: { ...reply.headers, 'x-request-id': id } };
}
