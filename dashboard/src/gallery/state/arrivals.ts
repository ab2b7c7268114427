import { computed, type ReadonlySignal, signal } from '@preact/signals';

/**
 * Cards do not move without input: while the gallery is scrolled down, jobs newer than the newest one shown wait behind a button.
 * Ids are in descending order.
 */
export function createArrivals(ids: ReadonlySignal<readonly string[]>) {
  const newest = signal<string | undefined>(undefined);
  const isHolding = signal(false);
  const held = computed(() => {
    const { value: limit } = newest;
    if (limit === undefined) return 0;
    const from = ids.value.findIndex((id) => id <= limit);
    return from < 0 ? 0 : from;
  });
  return {
    /** What is to be seen. */
    shown: computed(() => (held.value === 0 ? ids.value : ids.value.slice(held.value))),
    /** How many wait. */
    count: held as ReadonlySignal<number>,

    /** Whether what is new waits. */
    isHolding: isHolding as ReadonlySignal<boolean>,

    hold(): void {
      newest.value ??= ids.peek()[0];
      isHolding.value = true;
    },
    release(): void {
      newest.value = undefined;
      isHolding.value = false;
    },
  };
}
