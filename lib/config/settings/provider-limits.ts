import { integer, integerOr } from '../values/field.ts';

/** How many outputs a provider takes, and how many it makes at once. */
export function outputs(parallel: { readonly default: number | 'auto'; readonly auto: string }) {
  return {
    max_outputs: integer({
      default: 255,
      about: 'The most outputs of one request to this provider.',
    }),
    max_parallel_outputs: integerOr('auto', {
      default: parallel.default,
      about: `How many calls may run at once, whichever requests they belong to; "auto" ${parallel.auto}.`,
    }),
  };
}

export const ALL_AT_ONCE = {
  default: 'auto',
  auto: 'lets all outputs start together',
} as const;

/** How a call that failed transiently is tried again. */
export function retries() {
  return {
    max_transient_attempts: integer({
      default: 2,
      max: 2,
      about: 'How often one call is tried when it fails transiently.',
    }),
    transient_backoff_ms: integer({
      default: 750,
      about: 'The wait before the second try, give or take a fifth.',
    }),
  };
}
