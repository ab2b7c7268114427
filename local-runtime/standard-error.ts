import { writeSync } from 'node:fs';

/**
 * Writes to standard error without waiting for its reader: returns how many bytes were written, throws `EAGAIN` when a
 * pipe or a socket is full and `EPIPE` when its reader has closed it. A file and a terminal are written synchronously.
 */
export function openStandardError(): (bytes: Uint8Array) => number {
  // The getter opens the stream, which puts a pipe or a socket into non-blocking mode (libuv, uv_pipe_open).
  process.stderr.on('error', () => {});
  return (bytes) => writeSync(2, bytes);
}
