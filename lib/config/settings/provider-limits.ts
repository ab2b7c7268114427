import { integer, integerOr } from '../values/field.ts';

/** Returns the settings for the number of outputs of one request, and of outputs made at once. */
export function outputs(parallel: { readonly default: number | 'auto'; readonly auto: string }) {
  return {
    max_outputs: integer({
      default: 255,
      about: 'Maximum number of outputs of one request to this provider.',
    }),
    max_parallel_outputs: integerOr('auto', {
      default: parallel.default,
      about: `Maximum number of calls that run at once, over all requests; "auto" ${parallel.auto}.`,
    }),
  };
}

export const ALL_AT_ONCE = {
  default: 'auto',
  auto: 'starts all outputs at once',
} as const;

/** Returns the settings for retries of a call that failed transiently. */
export function retries() {
  return {
    max_transient_attempts: integer({
      default: 2,
      max: 2,
      about: 'Maximum number of attempts of one call if the call fails transiently.',
    }),
    transient_backoff_ms: integer({
      default: 750,
      about: 'Delay before the second attempt, randomized by up to 20 percent in either direction.',
    }),
  };
}
