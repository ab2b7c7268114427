import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

/** A shell that waits to end what this process has started. */
export interface Guard {
  /** Runs the script now. Resolves when the script has ended. */
  end(): Promise<void>;
}

/**
 * Runs a shell script when this process ends, even if this process is killed: the shell reads from a pipe whose other end is open
 * only in this process. The script sees its arguments as `"$@"`.
 */
export function endWithThisProcess(script: string, argv: readonly string[]): Guard {
  const shell = spawn('sh', ['-c', `read -r _; ${script}`, 'guard', ...argv], {
    // A session of its own, because Ctrl-C in a terminal would otherwise also end the shell.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(shell, 'exit');
  shell.unref();
  // A pipe to a child is a socket.
  (shell.stdin as unknown as Socket).unref();
  return {
    async end() {
      shell.ref();
      shell.stdin.end();
      await ended;
    },
  };
}
