import type { Slot } from '../gateway/coordination-file.ts';

/** What `image-bridge config check` said about the configuration of a slot. */
export interface SlotCheck {
  readonly isValid: boolean;
  readonly lines: readonly string[];
}

/** How the slots of a deployment are started and stopped. Each method may be repeated, and by another process. */
export interface SlotDriver {
  /**
   * Checks the configuration with which the slot would start, and starts nothing. Undefined if that cannot be derived from the
   * command of the slot.
   */
  check(slot: Slot): Promise<SlotCheck | undefined>;
  /** Starts the slot in its newest form. Resolves when it runs, not when it is ready. */
  start(slot: Slot): Promise<void>;
  /** Starts the slot as it ran before. */
  restart(slot: Slot): Promise<void>;
  /** Asks the slot to end and resolves when it has; after `graceMs` it is killed. */
  stop(slot: Slot, graceMs: number): Promise<void>;
  isRunning(slot: Slot): Promise<boolean>;
  /** The file with the output of the slot, or the command that shows it. */
  logOf(slot: Slot): string;
}
