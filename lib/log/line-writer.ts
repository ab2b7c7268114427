import type { Clock } from '../platform/clock.ts';
import { errorCode } from '../platform/error-code.ts';

interface Deps {
  /**
   * Writes as many bytes as possible without waiting, and returns their number. Throws a system error: `EAGAIN` if no byte
   * can be written now, any other code if the reader or the disk has failed.
   */
  readonly writeBytes: (bytes: Uint8Array) => number;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
}

/** Bytes that wait to be written, and the number of lines that are lost if the bytes are lost. */
interface Entry {
  readonly bytes: Buffer;
  readonly lines: number;
}

/** The maximum size of the buffer for a slow reader. */
const MAX_PENDING_BYTES = 1024 * 1024;

const RETRY_MS = 50;

/**
 * Creates a writer of lines that never blocks or throws. Lines for a slow reader wait in a buffer. If the buffer is full or
 * the reader has failed, lines are lost. When lines can be written again, the writer first reports the number of lost lines.
 */
export function createLineWriter({ writeBytes, clock }: Deps) {
  let pending: Entry[] = [];
  let pendingBytes = 0;
  let lost = 0;
  let isWaiting = false;
  /** True if the last write ended in the middle of a line. */
  let isCut = false;

  function append(bytes: Buffer, lines: number): void {
    pending.push({ bytes, lines });
    pendingBytes += bytes.length;
  }

  function appendReport(): void {
    const time = new Date(clock.nowMs()).toISOString();
    const report = JSON.stringify({ time, level: 'WARN', event: 'log_lines_lost', lost });
    append(Buffer.from(`${isCut ? '\n' : ''}${report}\n`), lost);
    lost = 0;
  }

  function flush(): void {
    isWaiting = false;
    try {
      for (;;) {
        if (pending.length === 0 && lost > 0) appendReport();
        const [entry] = pending;
        if (!entry) return;
        const written = writeBytes(entry.bytes);
        pendingBytes -= written;
        isCut = written < entry.bytes.length;
        if (isCut) pending[0] = { ...entry, bytes: entry.bytes.subarray(written) };
        else pending.shift();
      }
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') retryLater();
      else loseAll();
    }
  }

  function retryLater(): void {
    isWaiting = true;
    clock.after(RETRY_MS, flush);
  }

  /** Discards the waiting lines. Starts no timer, because a closed pipe is seldom reopened. The next line is written again. */
  function loseAll(): void {
    for (const { lines } of pending) lost += lines;
    pending = [];
    pendingBytes = 0;
  }

  return {
    /** Writes one line, which includes its line break. */
    write(line: string): void {
      const bytes = Buffer.from(line);
      // After a loss, the report must be written before any other line.
      if (isWaiting && (lost > 0 || pendingBytes + bytes.length > MAX_PENDING_BYTES)) {
        lost += 1;
        return;
      }
      if (lost > 0) appendReport();
      append(bytes, 1);
      if (!isWaiting) flush();
    },
  };
}
