import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { bodyTooLarge } from './check-head.ts';

export interface RequestBody {
  /** Fails with `body_too_large` as soon as the limit is passed. */
  readonly stream: Readable;
  /** Calls back, once, when the body has begun to come: until then a connection to a slot would only wait for it. */
  onBegun(then: () => void): void;
  /** Nothing goes into the stream before. */
  start(): void;
  /** Reads no more, and calls back no more; what the stream has not got can be read by others. */
  stop(): void;
}

/** The body of a request, read at the pace of its reader; undefined when it has none. */
export function openRequestBody(
  incoming: IncomingMessage,
  maxBytes: number,
): RequestBody | undefined {
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
  // Its reader gets the error; after `stop` there is none.
  stream.on('error', () => {});
  return {
    stream,
    onBegun(then) {
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
      // Not `readable`: it is `resume` that grants `Expect: 100-continue`.
      incoming.on('data', onData).on('end', onEnd).resume();
    },
    start: () => void incoming.pipe(stream),
    stop() {
      stopWaiting();
      incoming.unpipe(stream);
      stream.destroy();
    },
  };
}
