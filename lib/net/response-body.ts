/** The chunks of a response. A reader that stops early calls `destroy`, which closes the connection. */
export interface HttpBody extends AsyncIterable<Buffer> {
  destroy(): void;
}

/** The control of the parser that pushes the chunks. */
interface Source {
  pause(): void;
  resume(): void;
  /** Closes the connection. */
  abort(reason: Error): void;
}

/** The writing end of a body. */
export interface ResponseBody extends HttpBody {
  push(chunk: Buffer): void;
  end(): void;
  /** Passes the error to the reader at once and discards waiting chunks. */
  fail(error: unknown): void;
}

// A pause in the middle of a chunk makes the parser copy the rest of the chunk. The parser is therefore paused only when more
// than this number of bytes is waiting, and resumed when all waiting bytes have been read. A larger number would make turns of
// the event loop long if many streams run.
const MAX_WAITING_BYTES = 65_536;

/**
 * Creates a buffer for the chunks that the parser pushes. One reader reads the chunks at its own pace. If the reader stops
 * before the end, the connection is closed. `onClose` is called once: when the body ends, fails or is destroyed.
 */
export function createResponseBody(source: Source, onClose: () => void): ResponseBody {
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

  function resume(): void {
    if (!isPaused) return;
    isPaused = false;
    source.resume();
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
        resume();
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

/**
 * Reads the whole body. Returns undefined, without reading the rest, if the body is longer than `maxBytes`. Rejects if the
 * body fails.
 */
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
