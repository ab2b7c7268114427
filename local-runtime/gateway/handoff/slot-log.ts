import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/**
 * The program that writes the log of a process slot. It copies its standard input to the file named by its first argument
 * and starts a new file when the file reaches the size, in bytes, given by its second argument. The previous file is kept
 * as `FILE.1`. The program ends when the slot ends.
 */
const [, , path = '', limit = ''] = process.argv;
const maxBytes = Number(limit);

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const NEW_LINE = 10;

// Signals are ignored, because this program ends at the end of its input: the last lines of the slot must be written.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

let file = open();

for await (const chunk of process.stdin) {
  try {
    write(chunk);
  } catch {
    // The disk may be full. The chunk is lost, because the slot must not wait for the log.
  }
}

function open() {
  const descriptor = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  return { descriptor, bytes: fstatSync(descriptor).size };
}

/** Writes a chunk. Starts a new file after a whole line if the file is full. */
function write(chunk: Buffer): void {
  const end = file.bytes < maxBytes ? -1 : chunk.indexOf(NEW_LINE) + 1;
  if (end <= 0) {
    append(chunk);
    return;
  }
  append(chunk.subarray(0, end));
  closeSync(file.descriptor);
  renameSync(path, `${path}.1`);
  file = open();
  append(chunk.subarray(end));
}

function append(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    const written = writeSync(file.descriptor, bytes, at);
    file.bytes += written;
    at += written;
  }
}
