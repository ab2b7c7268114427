import { BridgeError } from '../errors/bridge-error.ts';
import type { JobAdmission } from '../jobs/job-store-port.ts';
import type { Clock } from '../platform/clock.ts';

// An image that no job needs is kept for at least this time after it was stored.
const PERIOD_MS = 600_000;
// Half of the period, because the clocks of two replicas may differ by minutes.
const MAX_STORED_MS = PERIOD_MS / 2;

/** Returns the number of the current period of ten minutes. Files in a shared place have the period of their write in the name. */
export function currentPeriod({ nowMs }: Pick<Clock, 'nowMs'>): number {
  return Math.floor(nowMs() / PERIOD_MS);
}

/** Returns true if all work that may rely on a file of this period has ended: a whole period has passed since this period. */
export function isOver(period: number, current: number): boolean {
  return period < current - 1;
}

/**
 * Throws `overloaded` if other processes may have removed the images of a new job at this time, for example because this process
 * was suspended after it had stored the images.
 */
export function refuseStaleImages(
  { imagesStoredMs }: Pick<JobAdmission, 'imagesStoredMs'>,
  nowMs: number,
): void {
  if (imagesStoredMs === undefined || nowMs - imagesStoredMs <= MAX_STORED_MS) return;
  throw new BridgeError(
    'overloaded',
    'the images of the job were stored too long ago and may have been removed',
  );
}
