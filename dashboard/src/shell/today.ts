import { type ReadonlySignal, signal } from '@preact/signals';

/**
 * The beginning of this day, in Unix milliseconds; the next one from midnight on. `visibility` reports when the page is
 * seen again: while a machine sleeps, its timers do not count.
 */
export function createToday(visibility: EventTarget): ReadonlySignal<number> {
  const today = signal(startOfDay(0));
  let timer: ReturnType<typeof setTimeout> | undefined;

  function look(): void {
    clearTimeout(timer);
    today.value = startOfDay(0);
    timer = setTimeout(look, startOfDay(1) - Date.now());
  }

  look();
  visibility.addEventListener('visibilitychange', look);
  return today;
}

/** Of this day, or of a later one. */
function startOfDay(daysLater: number): number {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + daysLater).getTime();
}
