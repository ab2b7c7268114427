import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { headBytes } from '../server/listener/http-server.ts';

// Higher than the bridge's own limit, so that the bridge, and not the gateway, rejects a head that is too large.
export const MAX_HEAD_BYTES = 65_536;

/** Returns the error for a request that cannot be forwarded unchanged, or undefined if the request can be forwarded. */
export function refusalOfHead(
  incoming: IncomingMessage,
  maxBodyBytes: number,
): BridgeError | undefined {
  const { rawHeaders, headers, url = '' } = incoming;
  if (headBytes(incoming) > MAX_HEAD_BYTES) {
    return new BridgeError('header_too_large', 'the request head is too long');
  }
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  // If the `Host` header is missing, the HTTP library sends the address of the slot, and the slot treats this address as the
  // `Host` of the client.
  if (hosts.length !== 1 || headers.host === '') {
    return new BridgeError('malformed_request', 'the request must have exactly one Host header');
  }
  if (!/^(\/|https?:\/\/)/.test(url)) {
    return new BridgeError('malformed_request', 'the request target is neither a path nor a URL');
  }
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return bodyTooLarge();
  return undefined;
}

function bodyTooLarge(): BridgeError {
  return new BridgeError('body_too_large', 'the request body exceeds the limit of the gateway');
}

/** The hop-by-hop headers (RFC 9110, section 7.6.1), and `expect`, which the gateway handles itself. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that a `Connection` header cannot remove, because the meaning of the request depends on these headers. */
const KEPT: ReadonlySet<string> = new Set(['content-length', 'host', 'traceparent']);

const REQUEST_ID = 'x-request-id';

/** Returns the headers of a request to the slot as alternating names and values. */
export function toRequestHeaders(raw: readonly string[], requestId: string): readonly string[] {
  return [...endToEnd(raw, REQUEST_ID), REQUEST_ID, requestId];
}

/** Returns the headers of a reply to the client as alternating names and values. */
export function toReplyHeaders(
  raw: readonly string[],
  requestId: string,
  isLast: boolean,
): readonly string[] {
  const headers = endToEnd(raw);
  const hasId = raw.some((name, index) => index % 2 === 0 && name.toLowerCase() === REQUEST_ID);
  if (!hasId) headers.push(REQUEST_ID, requestId);
  if (isLast) headers.push('connection', 'close');
  return headers;
}

function endToEnd(raw: readonly string[], without?: string): string[] {
  const named = namedByConnection(raw);
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2);
    const key = name.toLowerCase();
    const isOfConnection = OF_THE_CONNECTION.has(key) || (named.has(key) && !KEPT.has(key));
    if (!isOfConnection && key !== without) headers.push(name, value);
  }
  return headers;
}

function namedByConnection(raw: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== 'connection') continue;
    for (const name of raw[at + 1]?.split(',') ?? []) names.add(name.trim().toLowerCase());
  }
  return names;
}

/**
 * Returns the body of a request as a stream with backpressure, or undefined if the request has no body. The stream fails with
 * `body_too_large` if the body exceeds the limit.
 */
export function openRequestBody(incoming: IncomingMessage, maxBytes: number) {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
  if (encoding === undefined && Number(length) === 0) return undefined;
  let bytes = 0;
  let stopWaiting = () => {};
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > maxBytes ? bodyTooLarge() : null, chunk);
    },
  });
  // The reader of the stream handles errors. After `stop`, the stream has no reader.
  stream.on('error', () => {});
  return {
    stream,
    /**
     * Calls `then` once, when the first bytes arrive. The connection to a slot is opened only then, because an earlier
     * connection would be idle until the first bytes arrive.
     */
    onBegun(then: () => void): void {
      if (incoming.readableLength > 0 || incoming.readableEnded) {
        then();
        return;
      }
      const onEnd = () => {
        stopWaiting();
        then();
      };
      const onData = (chunk: Buffer) => {
        stopWaiting();
        incoming.unshift(chunk);
        then();
      };
      stopWaiting = () => {
        incoming.off('data', onData).off('end', onEnd).pause();
        stopWaiting = () => {};
      };
      // Calls `resume` instead of waiting for `readable`, because `resume` triggers the reply to `Expect: 100-continue`.
      incoming.on('data', onData).on('end', onEnd).resume();
    },
    /** Starts to write the body into the stream. */
    start: () => void incoming.pipe(stream),
    /** Stops reading and cancels the callback. Bytes that are not yet in the stream stay in the request for the next reader. */
    stop(): void {
      stopWaiting();
      incoming.unpipe(stream);
      stream.destroy();
    },
  };
}
