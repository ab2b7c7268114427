import { ApiError } from '../api/api-error.ts';
import { toFailureText } from '../text/failure-text.ts';
import type { Toasts } from './toasts.ts';

/** Says why something did not work. */
export function sayFailure(toasts: Toasts, error: unknown): void {
  const failure = error instanceof ApiError ? error : ApiError.unreachable();
  const { title, text: detail } = toFailureText(failure, Date.now());
  toasts.show({ kind: 'failed', text: title, detail });
}

/** Does something, and says why where it does not work. */
export async function attempt(toasts: Toasts, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    sayFailure(toasts, error);
  }
}
