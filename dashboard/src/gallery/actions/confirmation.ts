import { type ReadonlySignal, signal } from '@preact/signals';

const WAITS_MS = 3000;

/** A second press within three seconds confirms what cannot come back. */
export function createConfirmation() {
  const waiting = signal<string | undefined>(undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    /** What was pressed once. */
    waiting: waiting as ReadonlySignal<string | undefined>,

    /** Whether this press is the second one. */
    confirm(id: string): boolean {
      clearTimeout(timer);
      const isSecond = waiting.peek() === id;
      waiting.value = isSecond ? undefined : id;
      if (!isSecond) {
        timer = setTimeout(() => {
          waiting.value = undefined;
        }, WAITS_MS);
      }
      return isSecond;
    },
  };
}
