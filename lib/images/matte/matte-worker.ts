import { transferResult } from '../../platform/transfer.ts';
import { cutOut } from './cut-out.ts';
import type { MatteTask } from './matte-task.ts';

/** What the matte threads run: the image's pixels, cut out. Undefined means that it was stopped. */
export function matte(task: MatteTask) {
  const { data } = task;
  return cutOut(task) ? transferResult(data, [data]) : undefined;
}
