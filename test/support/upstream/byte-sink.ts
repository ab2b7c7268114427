import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Clock, sleep } from '../../../lib/platform/clock.ts';

/** The way in which the bytes of a response are written to the socket. */
export type Chunks =
  /** One piece for each part of an event. */
  | 'events'
  /** Greatest length of a piece in bytes. Each piece is one chunk on the wire and one read for the client. */
  | number
  /** Pieces of 1 to `maxBytes` bytes, equal for equal seeds. */
  | { readonly seed: number; readonly maxBytes: number };

/** Writes the bytes of a body. Every method rejects after the client disconnects. */
export interface ByteSink {
  write(bytes: Buffer): Promise<void>;
  /** Resolves when the operating system has all written bytes. */
  flush(): Promise<void>;
  end(): Promise<void>;
}

interface Deps {
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly chunks: Chunks;
  readonly chunkPauseMs: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Cuts bytes into pieces, and waits whenever the client reads too slowly. */
export function createByteSink({ response, clock, chunks, chunkPauseMs, signal }: Deps): ByteSink {
  const nextLength = pieceLengths(chunks);
  let flushed = Promise.resolve();

  return {
    async write(bytes) {
      for (let offset = 0; offset < bytes.length; ) {
        const piece = bytes.subarray(offset, offset + nextLength());
        offset += piece.length;
        signal.throwIfAborted();
        const isLast = offset === bytes.length;
        if (!(isLast ? writeLast(piece) : response.write(piece))) {
          await once(response, 'drain', { signal });
        }
        if (chunkPauseMs > 0) await sleep(clock, chunkPauseMs, signal);
        // Pieces that are written in one turn are read together, and a stream may join them again.
        else if (chunks !== 'events') await nextTurn();
      }
    },

    async flush() {
      await flushed;
      signal.throwIfAborted();
    },

    async end() {
      signal.throwIfAborted();
      const finished = once(response, 'finish', { signal });
      response.end();
      await finished;
    },
  };

  function writeLast(piece: Buffer): boolean {
    const written = deferred();
    flushed = written.promise;
    return response.write(piece, written.resolve);
  }
}

/** Compresses the whole body before it is sent. */
export function createGzipSink(sink: ByteSink): ByteSink {
  const parts: Buffer[] = [];
  return {
    async write(bytes) {
      parts.push(bytes);
    },
    flush: sink.flush,
    async end() {
      await sink.write(await promisify(gzip)(Buffer.concat(parts)));
      await sink.end();
    },
  };
}

function deferred() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

function pieceLengths(chunks: Chunks): () => number {
  if (chunks === 'events') return () => Number.POSITIVE_INFINITY;
  const largest = typeof chunks === 'number' ? chunks : chunks.maxBytes;
  if (!(largest >= 1)) throw new RangeError('a piece has at least one byte');
  if (typeof chunks === 'number') return () => chunks;
  let state = chunks.seed >>> 0;
  return () => {
    // The constants are from Numerical Recipes. The high bits are used because they are more random.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + Math.floor((state / 2 ** 32) * chunks.maxBytes);
  };
}
