#!/usr/bin/env node
import { isatty } from 'node:tty';
import { applyAllocatorSettings } from './memory-settings.ts';
import { unsupportedNode } from './node-version.ts';

// Costs as much as a start of Node, so only what runs for long does it, and before anything else.
if (process.argv[2] === 'serve') applyAllocatorSettings();

// A reader that closes the output must not end the program. Without a listener its EPIPE would.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

// Nothing else is loaded before this check: the rest of the program uses what an older Node does not have.
const refusal = unsupportedNode(process.versions.node);
if (refusal === undefined) {
  const { runCommandLine } = await import('./command-line.ts');
  const { untilStopped } = await import('./stop-signals.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    untilStopped,
    ask: async (question) => (await import('./terminal/ask.ts')).ask(question),
  });
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
