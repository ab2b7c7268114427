import type { Clock } from '../platform/clock.ts';

interface Deps {
  /**
   * Writes as many of the bytes as can be written without waiting, and returns their number. Throws a system error:
   * `EAGAIN` when nothing can be written now, any other when the reader or the disk has failed.
   */
  readonly writeBytes: (bytes: Uint8Array) => number;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
}

/** Bytes that wait, and how many lines are lost with them: a report represents all lines that it counts. */
interface Entry {
  readonly bytes: Buffer;
  readonly lines: number;
}

/** How many bytes wait for a slow reader at most. */
const MAX_PENDING_BYTES = 1024 * 1024;

const RETRY_MS = 50;

/**
 * Writes lines without ever blocking or throwing. What a slow reader has not taken waits in a bounded buffer. Lines that
 * do not fit into it, or that a failed reader did not take, are lost: one line with their number follows as soon as
 * something can be written again.
 */
export function createLineWriter({ writeBytes, clock }: Deps) {
  let pending: Entry[] = [];
  let pendingBytes = 0;
  let lost = 0;
  let isWaiting = false;
  /** Whether the last thing written is a part of a line. */
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
      if (isFull(error)) retryLater();
      else loseAll();
    }
  }

  function retryLater(): void {
    isWaiting = true;
    clock.after(RETRY_MS, flush);
  }

  /** No timer tries again: a reader that has closed the pipe seldom comes back. The next line tries again. */
  function loseAll(): void {
    for (const { lines } of pending) lost += lines;
    pending = [];
    pendingBytes = 0;
  }

  return {
    /** One line with its line break. */
    write(line: string): void {
      const bytes = Buffer.from(line);
      // Once a line is lost, the report of it has to be written before any further line.
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

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
