#!/usr/bin/env node
import { isatty } from 'node:tty';
import { unsupportedNode } from './server/node-version.ts';

// A restart takes as long as starting Node, so only the long-running command restarts, before anything else is loaded.
if (process.argv[2] === 'serve') {
  (await import('./server/memory-settings.ts')).applyAllocatorSettings();
}

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
    isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    untilStopped,
    ask: async (question) => (await import('./cli/standard-input.ts')).ask(question),
  });
  // The listener of standard output may already have set the exit code.
  process.exitCode ||= exitCode;
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
