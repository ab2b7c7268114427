import type { WakeUps } from '../../lib/storage/postgres/waiting.ts';

/** Wake-ups that never arrive: every reader only looks from time to time. */
export const NO_WAKE_UPS: WakeUps = {
  send: async () => {},
  argumentsOf: (topic) => ['nobody', topic],
  listen: () => () => {},
};
