import type { Job } from '../../api/schemas.ts';
import { toFailureText } from '../../text/failure-text.ts';

/** What failed for good would fail again; what may have been made already is asked about. */
export function isWorthRepeating({ error, completed, updated }: Job): boolean {
  if (error === undefined || error.details['outcome'] === 'unknown') return true;
  return toFailureText(error, (completed ?? updated) * 1000).mayRepeat;
}
