import type { Clock } from '../platform/clock.ts';

// A job is accepted within this time after its images were stored.
const PERIOD_MS = 600_000;

/** Returns the number of the current period of ten minutes. Files in a shared place have the period of their write in the name. */
export function currentPeriod({ nowMs }: Pick<Clock, 'nowMs'>): number {
  return Math.floor(nowMs() / PERIOD_MS);
}

/** Returns true if all work that may rely on a file of this period has ended: at least one whole period lies between. */
export function isOver(period: number, current: number): boolean {
  return period < current - 1;
}
