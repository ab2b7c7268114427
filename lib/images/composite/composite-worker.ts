import { transferResult } from '../../platform/transfer.ts';
import type { CompositeTask } from './composite-task.ts';
import { putTogether } from './put-together.ts';

/** What the composite threads run: returns the changed pixels, or undefined if it was stopped. */
export function composite(task: CompositeTask) {
  const { kept } = task;
  return putTogether(task) ? transferResult(kept, [kept]) : undefined;
}
