import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { bodyTooLarge } from './check-head.ts';

export interface RequestBody {
  /** Fails with `body_too_large` as soon as the limit is passed. */
  readonly stream: Readable;
  /** Nothing is read before. */
  start(): void;
  /** Reads no more; what has not been read can be read by others. */
  stop(): void;
}

/** The body of a request, read at the pace of its reader; undefined when it has none. Calls `onRead` at the first byte. */
export function openRequestBody(
  incoming: IncomingMessage,
  maxBytes: number,
  onRead: () => void,
): RequestBody | undefined {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
  if (encoding === undefined && Number(length) === 0) return undefined;
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (bytes === 0) onRead();
      bytes += chunk.length;
      done(bytes > maxBytes ? bodyTooLarge() : null, chunk);
    },
    flush(done) {
      if (bytes === 0) onRead();
      done();
    },
  });
  // Its reader gets the error; after `stop` there is none.
  stream.on('error', () => {});
  return {
    stream,
    start: () => void incoming.pipe(stream),
    stop() {
      incoming.unpipe(stream);
      stream.destroy();
    },
  };
}
