import { transferResult } from '../../platform/transfer.ts';
import type { MatteTask } from './cut-out.ts';
import { cutOut } from './cut-out.ts';

/** Runs a task in a matte thread. Returns the pixels with a transparent background, or undefined if the task was stopped. */
export function matte(task: MatteTask) {
  const { data } = task;
  return cutOut(task) ? transferResult(data, [data]) : undefined;
}
