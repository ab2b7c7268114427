import { systemClock } from '../../lib/platform/clock.ts';
import { createTimeSlices } from '../../lib/platform/time-slices.ts';

/** The time slices of this event loop. */
export const slices = createTimeSlices(systemClock);
