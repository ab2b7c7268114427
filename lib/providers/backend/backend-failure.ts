import type { BackendError } from './backend-error.ts';
import type { BackendFailure } from './failure-rows.ts';

// Thirty years. Larger values are ignored; up to here a number of milliseconds is exact.
const MAX_SECS = 1e9;

/**
 * The errors of one failure in the form that `backend-errors.ts` takes. Each member comes from the first error that has it.
 */
export function toBackendFailure(
  errors: readonly BackendError[],
  retryAfterMs?: number,
): BackendFailure {
  const [resetsInSecs] = errors.flatMap((error) => error.resets_in_seconds ?? []);
  const isSensible = resetsInSecs !== undefined && resetsInSecs <= MAX_SECS;
  return {
    code:
      errors.map(({ code }) => code).find(isText) ?? errors.map(({ type }) => type).find(isText),
    type: errors.map(({ type }) => type).find(isText),
    moderationStage: errors.map((error) => error.moderation_stage).find(isText),
    moderationCategories: errors.flatMap((error) => error.moderation_categories ?? []),
    retryAfterMs,
    resetsInMs: isSensible ? Math.ceil(resetsInSecs * 1000) : undefined,
  };
}

function isText(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== '';
}
