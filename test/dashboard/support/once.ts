import type { UntilAnswered } from '../../../dashboard/src/connection/resending.ts';

/** Sends a request once. */
export const once: UntilAnswered = (send) => send();
