import { text } from '../text/text.ts';
import type { Toasts } from './toasts.ts';

/** What was done and can be reverted. Things are undone, not asked about before. */
export function createUndo(toasts: Toasts) {
  const stack: { readonly revert: () => void; readonly toast: number }[] = [];

  /** Reverts what a toast offers, unless that has been done. */
  function revertEntry(toast: number): void {
    const index = stack.findIndex((each) => each.toast === toast);
    const [entry] = index < 0 ? [] : stack.splice(index, 1);
    toasts.close(toast);
    entry?.revert();
  }

  return {
    /** Reverts the newest. */
    undo(): void {
      const last = stack.at(-1);
      if (last !== undefined) revertEntry(last.toast);
    },
    /** Forgets what could be reverted, with its messages: it belongs to another caller. */
    clear(): void {
      for (const { toast } of stack.splice(0)) toasts.close(toast);
    },
    /** Says what was done and keeps how to revert it. */
    offer(done: string, revert: () => void): void {
      const toast = toasts.show({
        kind: 'done',
        text: done,
        action: { label: text('action.undo'), run: () => revertEntry(toast) },
      });
      stack.push({ revert, toast });
      if (stack.length > 50) stack.shift();
    },
  };
}
