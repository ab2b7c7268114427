/** The chunks of a response. A reader that stops early calls `destroy`, which closes the connection. */
export interface HttpBody extends AsyncIterable<Buffer> {
  destroy(): void;
}

interface Source {
  pause(): void;
  resume(): void;
  /** Closes the connection. */
  abort(reason: Error): void;
}

export interface ResponseBody extends HttpBody {
  push(chunk: Buffer): void;
  end(): void;
  /** Passes the error to the reader immediately and discards waiting chunks. */
  fail(error: unknown): void;
}

// The parser is paused when this number of bytes is waiting, and resumed when all waiting bytes have been read. Each pause may
// make the parser copy the remainder of a chunk. A higher limit would make turns of the event loop long if many streams run.
const MAX_WAITING_BYTES = 65_536;

interface Options {
  /** Makes the call that resumes the parser, now or later. */
  readonly pace: (resume: () => void) => void;
  /** Called once: when the body ends, fails or is destroyed. */
  readonly onClose: () => void;
}

/**
 * Creates a buffer between a parser that pushes chunks and one reader. If the reader stops before the end, the connection is
 * closed.
 */
export function createResponseBody(source: Source, { pace, onClose }: Options): ResponseBody {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let isPaused = false;
  let isEnded = false;
  let isClosed = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    onClose();
    wake();
  }

  function fail(error: unknown): void {
    if (isClosed) return;
    failure = { error };
    waiting = [];
    close();
  }

  function destroy(): void {
    if (isEnded || isClosed) return;
    const reason = new Error('the request was cancelled');
    fail(reason);
    source.abort(reason);
  }

  async function* read(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunks = waiting;
        waiting = [];
        waitingBytes = 0;
        for (const chunk of chunks) {
          yield chunk;
          if (failure) throw failure.error;
        }
        if (failure) throw failure.error;
        if (chunks.length > 0) continue;
        if (isEnded) return;
        if (isPaused) {
          isPaused = false;
          pace(() => {
            if (!isClosed) source.resume();
          });
        }
        if (waiting.length === 0 && !isEnded && !failure) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      destroy();
    }
  }

  return {
    push(chunk) {
      if (isClosed) return;
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= MAX_WAITING_BYTES && !isPaused) {
        isPaused = true;
        source.pause();
      }
      wake();
    },
    end() {
      isEnded = true;
      close();
    },
    fail,
    destroy,
    [Symbol.asyncIterator]: read,
  };
}

/** Resolves with the whole body, or with undefined as soon as the body exceeds `maxBytes`. Rejects if the body fails. */
export async function readWhole(body: HttpBody, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop destroys the body.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

// A shorter chunk may be part of memory that Node or the parser shares among several buffers, and takes little memory.
const MIN_FREED_BYTES = 8192;

/**
 * Yields the chunks of a body, for a reader that keeps no chunk. Frees the memory of long chunks immediately, because V8 would keep
 * up to a hundred megabytes of them until its next collection. The parser reads one buffer after the other and returns views of the
 * buffers, so a buffer is unused once a chunk of the next buffer has been read.
 */
export async function* withoutKeeping(body: HttpBody): AsyncGenerator<Buffer> {
  let previous: ArrayBufferLike | undefined;
  let isOwnMemory = false;
  for await (const chunk of body) {
    const { buffer } = chunk;
    if (buffer !== previous) {
      if (isOwnMemory && previous instanceof ArrayBuffer) previous.transfer(0);
      previous = buffer;
      isOwnMemory = false;
    }
    isOwnMemory ||= chunk.length >= MIN_FREED_BYTES && !mayBePooled(chunk);
    yield chunk;
  }
}

/** Returns true if the buffer may be part of the pool from which Node allocates short buffers. */
function mayBePooled({ buffer, length }: Buffer): boolean {
  return buffer.byteLength === Buffer.poolSize && length < Buffer.poolSize / 2;
}
