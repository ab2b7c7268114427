import type { EndedPlace, JobRetention } from '../../jobs/job-store-port.ts';
import { isAboveShare } from '../../platform/fair-share.ts';

/** The part of the ordinary history that one scope or all scopes fill. */
export interface HistorySize {
  readonly jobs: number;
  readonly bytes: number;
}

/** The place before the first ended job. */
export const FIRST_PLACE: EndedPlace = { completedSecs: 0, sequence: 0 };

/**
 * Returns the measure by which the ordinary history exceeds its limits, with the limit, or undefined if the history is within its
 * limits.
 */
export function exceededMeasure(
  { jobs, bytes }: HistorySize,
  { maxRetained, maxRetainedBytes }: Pick<JobRetention, 'maxRetained' | 'maxRetainedBytes'>,
): { readonly measure: keyof HistorySize; readonly limit: number } | undefined {
  if (bytes > maxRetainedBytes) return { measure: 'bytes', limit: maxRetainedBytes };
  return jobs > maxRetained ? { measure: 'jobs', limit: maxRetained } : undefined;
}

/**
 * Returns the scope that loses its oldest job: the scope with the largest part of the history. Returns undefined if that scope is
 * within its equal share. `largest` lists scopes, largest first. `holders` is the number of scopes with ordinary history.
 */
export function scopeAboveShare(
  largest: readonly { readonly scope: string; readonly filled: number }[],
  { limit, holders }: { readonly limit: number; readonly holders: number },
  skipped: ReadonlySet<string>,
): string | undefined {
  const first = largest.find(({ scope }) => !skipped.has(scope));
  return first && isAboveShare(first.filled, limit, holders) ? first.scope : undefined;
}
