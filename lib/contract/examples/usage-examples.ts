import type { Examples } from './example.ts';
import { CREATED } from './shared-values.ts';

const USAGE_CALLER = {
  name: 'alice',
  permissions: ['images', 'jobs', 'read'],
  allowance: { images_per_day: 100, used: 12, resets: CREATED + 86_400 },
};

const DAY_USAGE = {
  day: '2026-01-01',
  images: 11,
  failed: 1,
  unknown: 1,
  lost: 0,
  tokens: 4321,
  by_provider: {
    'agent-responses': { images: 11, failed: 1, unknown: 1, lost: 0, tokens: 4321 },
  },
};

/** Examples of usage replies. */
export const USAGE_EXAMPLES: Examples = {
  UsageReport: {
    alice: {
      summary: 'A token with an allowance',
      value: { caller: USAGE_CALLER, items: [DAY_USAGE] },
    },
  },
};
