import { type ReadonlySignal, signal } from '@preact/signals';

/**
 * Returns a signal of the start of the current day in Unix milliseconds. `visibility` reports when the page becomes
 * visible again, because timers do not run while a machine sleeps.
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

/** Returns the start of the day that is `daysLater` days after today, in Unix milliseconds. */
function startOfDay(daysLater: number): number {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + daysLater).getTime();
}
