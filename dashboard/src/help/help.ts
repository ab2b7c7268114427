import { type ReadonlySignal, signal } from '@preact/signals';

/** Whether the list of keys is open. */
export function createHelp() {
  const shown = signal(false);
  return {
    shown: shown as ReadonlySignal<boolean>,
    open(): void {
      shown.value = true;
    },
    close(): void {
      shown.value = false;
    },
  };
}
