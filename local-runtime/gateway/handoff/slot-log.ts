import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/**
 * The program that writes the log of a process slot. Copies standard input to a file until the slot ends. The first argument
 * is the name of the file. The second argument is the size, in bytes, at which a new file begins. The previous file is kept
 * as `FILE.1`.
 */
const [, , path = '', limit = ''] = process.argv;
const maxBytes = Number(limit);

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const NEW_LINE = 10;

// Signals are ignored, because this program must write the last lines of the slot. The end of the input ends the program.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

let file = open();

for await (const chunk of process.stdin) {
  try {
    write(chunk);
  } catch {
    // Ignored: the disk may be full. The chunk is lost, because the slot must not wait for the log.
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
