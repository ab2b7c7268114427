import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { SlotCheck } from './slot-driver.ts';

/** Runs `config check`, which takes the options of `serve`, to its end. Rejects if the program cannot be started. */
export async function runCheck(program: string, argv: readonly string[]): Promise<SlotCheck> {
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.trim() !== '');
  return { isValid: code === 0, lines };
}
