#!/usr/bin/env node
import { isatty } from 'node:tty';
import { applyAllocatorSettings } from './memory-settings.ts';
import { unsupportedNode } from './node-version.ts';

// Costs as much as a start of Node, so only what runs for long does it, and before anything else.
if (process.argv[2] === 'serve') applyAllocatorSettings();

// A reader that closes the output must not end the program. Without a listener its EPIPE would.
process.stderr.on('error', () => {});
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return;
  process.stderr.write(`image-bridge: standard output cannot be written (${code})\n`);
  process.exitCode = 1;
});

// Nothing else is loaded before this check: the rest of the program uses what an older Node does not have.
const refusal = unsupportedNode(process.versions.node);
if (refusal === undefined) {
  const { runCommandLine } = await import('./command-line.ts');
  const { untilStopped } = await import('./stop-signals.ts');
  const exitCode = await runCommandLine(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    writeBytes: (bytes) => process.stdout.write(bytes),
    readInput: async (maxBytes) =>
      (await import('./read-input.ts')).readInput(process.stdin, maxBytes),
    isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    untilStopped,
    ask: async (question) => (await import('./terminal/ask.ts')).ask(question),
  });
  // Output that was lost may have set it.
  process.exitCode ||= exitCode;
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
