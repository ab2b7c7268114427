import { text } from '../text/text.ts';
import type { Toasts } from './toasts.ts';

/** Of what was done and can be taken back, the newest first. Things are undone, not asked about before. */
export function createUndo(toasts: Toasts) {
  const stack: { readonly revert: () => void; readonly toast: number }[] = [];

  function undo(): void {
    const last = stack.pop();
    if (last === undefined) return;
    toasts.close(last.toast);
    last.revert();
  }

  return {
    undo,
    /** Says what was done and keeps how to take it back. */
    offer(done: string, revert: () => void): void {
      const toast = toasts.show({
        kind: 'done',
        text: done,
        action: { label: text('action.undo'), run: undo },
      });
      stack.push({ revert, toast });
      if (stack.length > 50) stack.shift();
    },
  };
}
