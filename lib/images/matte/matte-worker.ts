import { transferResult } from '../../platform/transfer.ts';
import { cutOut } from './cut-out.ts';
import type { MatteTask } from './matte-task.ts';

/** What the matte threads run: returns the pixels with a transparent background, or undefined if it was stopped. */
export function matte(task: MatteTask) {
  const { data } = task;
  return cutOut(task) ? transferResult(data, [data]) : undefined;
}
