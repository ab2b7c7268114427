import { ApiError } from '../api/api-error.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import type { Toasts } from './toasts.ts';

/** Says why something did not work. */
export function sayFailure(toasts: Toasts, error: unknown): void {
  const { title, text: detail } = toWords(error);
  toasts.show({ kind: 'failed', text: title, detail });
}

/** A connection that breaks within a reply is a TypeError; anything else is no failure of the bridge. */
function toWords(error: unknown): { readonly title: string; readonly text: string } {
  if (error instanceof ApiError) return toFailureText(error, Date.now());
  if (error instanceof TypeError) return toFailureText(ApiError.unreachable(), Date.now());
  return { title: text('failure.browser.title'), text: text('failure.browser.text') };
}

/** Does something, and says why where it does not work. */
export async function attempt(toasts: Toasts, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    sayFailure(toasts, error);
  }
}
