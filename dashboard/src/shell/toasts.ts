import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiError } from '../api/api.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';

export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  /** A suggestion of the server, or whether anything was made or paid for. */
  readonly detail?: string;
  readonly action?: { readonly label: string; run(): void };
}

export type Toasts = ReturnType<typeof createToasts>;

interface Countdown {
  leftMs: number;
  startedAtMs: number;
  timer?: ReturnType<typeof setTimeout>;
}

const SHOWN_MS = 6000;
const MOST = 4;

/**
 * Shows short messages at the bottom of the page. A success disappears after six seconds, a failure stays until it is
 * closed. While the user points at or focuses any message, none disappears, because the others would move.
 */
export function createToasts() {
  const list = signal<readonly Toast[]>([]);
  const countdowns = new Map<number, Countdown>();
  const held: { pointer?: number | undefined; focus?: number | undefined } = {};
  let next = 1;

  const isHeld = () => held.pointer !== undefined || held.focus !== undefined;

  function run(id: number, countdown: Countdown): void {
    countdown.startedAtMs = Date.now();
    countdown.timer = setTimeout(close, countdown.leftMs, id);
  }

  function pause(countdown: Countdown): void {
    clearTimeout(countdown.timer);
    countdown.leftMs -= Date.now() - countdown.startedAtMs;
  }

  function hold(by: 'pointer' | 'focus', id: number | undefined): void {
    const wasHeld = isHeld();
    held[by] = id;
    if (wasHeld === isHeld()) return;
    for (const [each, countdown] of countdowns) {
      if (wasHeld) run(each, countdown);
      else pause(countdown);
    }
  }

  function keep(toasts: readonly Toast[]): void {
    const isClosed = (id: number | undefined) => toasts.every((toast) => toast.id !== id);
    list.value = toasts;
    for (const [id, { timer }] of countdowns) {
      if (!isClosed(id)) continue;
      clearTimeout(timer);
      countdowns.delete(id);
    }
    // A removed element does not report that the pointer or the focus has left it.
    if (isClosed(held.pointer)) hold('pointer', undefined);
    if (isClosed(held.focus)) hold('focus', undefined);
  }

  function close(id: number): void {
    keep(list.peek().filter((toast) => toast.id !== id));
  }

  return {
    list: list as ReadonlySignal<readonly Toast[]>,
    close,
    show(toast: Omit<Toast, 'id'>): number {
      const id = next++;
      keep([...list.peek(), { ...toast, id }].slice(-MOST));
      if (toast.kind === 'done') {
        const countdown = { leftMs: SHOWN_MS, startedAtMs: Date.now() };
        countdowns.set(id, countdown);
        if (!isHeld()) run(id, countdown);
      }
      return id;
    },
    /** Sets which message is pointed at or focused. While there is one, the timers of all messages pause. */
    hold,
  };
}

/** Shows a message that says why something failed. */
function sayFailure(toasts: Toasts, error: unknown): void {
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
