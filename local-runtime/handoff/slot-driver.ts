import type { Slot } from '../gateway/coordination-file.ts';

/** How the slots of a deployment are started and stopped. Each method may be repeated, and by another process. */
export interface SlotDriver {
  /** Starts the slot in its newest form. Resolves when it runs, not when it is ready. */
  start(slot: Slot): Promise<void>;
  /** Starts the slot as it ran before. */
  restart(slot: Slot): Promise<void>;
  /** Asks the slot to end and resolves when it has; after `graceMs` it is killed. */
  stop(slot: Slot, graceMs: number): Promise<void>;
  isRunning(slot: Slot): Promise<boolean>;
}
