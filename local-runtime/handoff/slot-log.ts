import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/**
 * The program that writes the output of one process slot: copies its standard input into the file of its argument and begins a
 * new file after some megabytes. The one before is kept as `FILE.1`. It ends when the slot has.
 */
const [, , path = '', limit = ''] = process.argv;
const maxBytes = Number(limit);

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const NEW_LINE = 10;

// Who ends the slot ends this program too, by the end of the input: the last lines of the slot are the important ones.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

let file = open();

for await (const chunk of process.stdin) {
  try {
    write(chunk);
  } catch {
    // The disk may be full. The slot must not wait for it.
  }
}

function open() {
  const descriptor = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  return { descriptor, bytes: fstatSync(descriptor).size };
}

/** Writes a chunk; a file that is full ends with a whole line. */
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
