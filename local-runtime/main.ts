#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { unsupportedNode } from './server/node-version.ts';

// Without a listener, the EPIPE of a reader that closes the output would end the program.
process.stderr.on('error', () => {});
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return;
  process.stderr.write(`image-bridge: standard output cannot be written (${code})\n`);
  process.exitCode = 1;
});

// The version is checked before anything else is loaded, because other modules use features that older versions lack.
const refusal = unsupportedNode(process.versions.node);
if (refusal === undefined) {
  const [, , command] = process.argv;
  // The next start loads the code that this process has compiled. If the folder cannot be written, every start compiles.
  enableCompileCache(fileURLToPath(new URL('../compile-cache', import.meta.url)));
  // A restart takes as long as starting Node, so only the long-running command restarts, before anything else is loaded.
  if (command === 'serve') {
    (await import('./server/memory-settings.ts')).applyMemorySettings();
  }
  // A thread starts as slowly as the rest of the program, so both start at the same time.
  const storageThread =
    command === 'serve' || command === 'quickstart'
      ? (await import('../lib/storage/storage-thread.ts')).startStorageThread()
      : undefined;
  // If the command does not serve, for example because its options are invalid, the thread ends with the process.
  storageThread?.worker.unref();
  const { runCommandLine } = await import('./cli/command-line.ts');
  const { untilStopped } = await import('./cli/stop-signals.ts');
  const exitCode = await runCommandLine(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    writeBytes: (bytes) => process.stdout.write(bytes),
    readInput: async (maxBytes) =>
      (await import('./cli/standard-input.ts')).readInput(process.stdin, maxBytes),
    isTerminal: {
      // Loaded on demand, because `node:tty` loads `node:net`, which takes a tenth of the time of `--help`.
      get stdin() {
        return process.getBuiltinModule('node:tty').isatty(0);
      },
      stdout: Boolean(process.stdout.isTTY),
      stderr: Boolean(process.stderr.isTTY),
    },
    untilStopped,
    storageThread,
    ask: async (question) => (await import('./cli/standard-input.ts')).ask(question),
  });
  // The listener of standard output may already have set the exit code.
  process.exitCode ||= exitCode;
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
