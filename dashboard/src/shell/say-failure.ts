import { ApiError } from '../api/api-error.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import type { Toasts } from './toasts.ts';

/** Shows a message that says why something failed. */
export function sayFailure(toasts: Toasts, error: unknown): void {
  const { title, text: detail } = toWords(error);
  toasts.show({ kind: 'failed', text: title, detail });
}

/**
 * Describes an error. A connection that breaks within a reply is a TypeError. Any other error is a failure of the
 * browser, not of the bridge.
 */
function toWords(error: unknown): { readonly title: string; readonly text: string } {
  if (error instanceof ApiError) return toFailureText(error, Date.now());
  if (error instanceof TypeError) return toFailureText(ApiError.unreachable(), Date.now());
  return { title: text('failure.browser.title'), text: text('failure.browser.text') };
}

/** Runs an action, and shows a message if it fails. */
export async function attempt(toasts: Toasts, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    sayFailure(toasts, error);
  }
}
