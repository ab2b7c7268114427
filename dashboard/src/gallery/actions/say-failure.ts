import { ApiError } from '../../api/api-error.ts';
import type { Toasts } from '../../shell/toasts.ts';
import { toFailureText } from '../../text/failure-text.ts';

/** Says why something did not work. */
export function sayFailure(toasts: Toasts, error: unknown): void {
  const failure = error instanceof ApiError ? error : ApiError.unreachable();
  const { title, text: detail } = toFailureText(failure, Date.now());
  toasts.show({ kind: 'failed', text: title, detail });
}
