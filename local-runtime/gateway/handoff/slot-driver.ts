import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Slot } from '../coordination.ts';

/** The result of `image-bridge config check` for the configuration of a slot. */
export interface SlotCheck {
  readonly isValid: boolean;
  readonly lines: readonly string[];
}

/** Starts and stops the slots of a deployment. Every method can be called again, also by another process. */
export interface SlotDriver {
  /** Checks the configuration of a slot without starting the slot. Resolves with undefined without `serve` in its command. */
  check(slot: Slot): Promise<SlotCheck | undefined>;
  /** Starts the slot with its latest definition. Resolves when the slot is running, even if the slot is not ready yet. */
  start(slot: Slot): Promise<void>;
  /** Starts the slot with its previous definition. */
  restart(slot: Slot): Promise<void>;
  /** Stops the slot. Resolves when the slot has ended. Kills the slot after `graceMs`. */
  stop(slot: Slot, graceMs: number): Promise<void>;
  isRunning(slot: Slot): Promise<boolean>;
  /** Returns the file with the output of the slot, or the command that prints the output. */
  logOf(slot: Slot): string;
}

/** Runs `config check`, which accepts the options of `serve`. Rejects if the program cannot be started. */
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
