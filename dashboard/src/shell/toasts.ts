import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiError } from '../api/api.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';

export interface Toast {
  readonly id: number;
  /** `refused`: the action does not apply, and nothing was sent. */
  readonly kind: 'done' | 'failed' | 'refused';
  readonly text: string;
  /** More information, for example a suggestion from the server, or whether anything was made or paid for. */
  readonly detail?: string;
  readonly action?: { readonly label: string; run(): void };
}

export type Toasts = ReturnType<typeof createToasts>;

/** The maximum number of messages that are shown at once. */
const MOST = 4;

/** Keeps the list of short messages at the bottom of the page. */
export function createToasts() {
  const list = signal<readonly Toast[]>([]);
  let next = 1;
  return {
    list: list as ReadonlySignal<readonly Toast[]>,
    show(toast: Omit<Toast, 'id'>): number {
      const id = next++;
      list.value = [...list.peek(), { ...toast, id }].slice(-MOST);
      return id;
    },
    clear(): void {
      list.value = [];
    },
    close(id: number): void {
      list.value = list.peek().filter((toast) => toast.id !== id);
    },
  };
}

/** Describes an error in words. A TypeError means that the connection failed while a reply was being read. */
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
    const { title, text: detail } = toWords(error);
    toasts.show({ kind: 'failed', text: title, detail });
  }
}
