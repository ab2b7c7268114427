import type { ImageJob } from '../../lib/contract/resources/job.ts';
import type { CommandIo } from '../command-io.ts';
import { printable } from '../terminal/printable.ts';

/** Prints why a job has no result. Returns the exit code. */
export function reportJob({ status, error, id }: ImageJob, io: CommandIo): number {
  const reason = error === undefined ? '' : `: ${error.message}`;
  io.stderr(`image-bridge: ${printable(`the job ${id} ${OUTCOMES[status]}${reason}`)}\n`);
  for (const suggestion of error?.suggestions ?? []) io.stderr(`→ ${printable(suggestion)}\n`);
  return 1;
}

const OUTCOMES: Readonly<Record<ImageJob['status'], string>> = {
  queued: 'is queued',
  running: 'is running',
  succeeded: 'has succeeded',
  failed: 'has failed',
  cancelled: 'was cancelled',
  interrupted: 'was interrupted',
};
