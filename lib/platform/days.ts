import type { Clock } from './clock.ts';

// A day is the number of the UTC day since the Unix epoch.

export const DAY_MS = 86_400_000;

/** Returns the current day. */
export function today(clock: Pick<Clock, 'nowMs'>): number {
  return Math.floor(clock.nowMs() / DAY_MS);
}

/** Returns the date of a day in the form of ISO 8601, such as 2026-11-24. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
