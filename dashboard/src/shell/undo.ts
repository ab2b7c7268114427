import { text } from '../text/text.ts';
import type { Toasts } from './toasts.ts';

export type Undo = ReturnType<typeof createUndo>;

/** Remembers actions that can be undone. The page offers undo instead of asking for confirmation. */
export function createUndo(toasts: Toasts) {
  const stack: { readonly revert: () => void; readonly toast: number }[] = [];

  /** Reverts the action of a toast, unless the action was already reverted. */
  function revertEntry(toast: number): void {
    const index = stack.findIndex((each) => each.toast === toast);
    const [entry] = index < 0 ? [] : stack.splice(index, 1);
    toasts.close(toast);
    entry?.revert();
  }

  return {
    /** Reverts the latest action. */
    undo(): void {
      const last = stack.at(-1);
      if (last !== undefined) revertEntry(last.toast);
    },
    /** Forgets all actions and closes their messages, because the actions belong to the previous caller. */
    clear(): void {
      for (const { toast } of stack.splice(0)) toasts.close(toast);
    },
    /** Shows a message about a completed action, and offers to undo it. `detail` is more information about the action. */
    offer(done: string, revert: () => void, detail?: string): void {
      const toast = toasts.show({
        kind: 'done',
        text: done,
        ...(detail !== undefined && { detail }),
        action: { label: text('action.undo'), run: () => revertEntry(toast) },
      });
      stack.push({ revert, toast });
      if (stack.length > 50) stack.shift();
    },
  };
}
