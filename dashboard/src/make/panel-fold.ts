import { type ReadonlySignal, signal } from '@preact/signals';

const KEY = 'image-bridge.panel';

/** Tracks whether the panel is collapsed on wide screens. Stored in this browser. */
export function createPanelFold() {
  const folded = signal(localStorage.getItem(KEY) === 'folded');
  return {
    folded: folded as ReadonlySignal<boolean>,
    toggle(): void {
      folded.value = !folded.peek();
      localStorage.setItem(KEY, folded.peek() ? 'folded' : 'open');
    },
  };
}
