import type { Locator } from 'playwright-core';

/**
 * Presses at once, in one task, what disappears after some seconds or waits that long for a second press: on a busy
 * machine the mouse is later than that.
 */
export function press(button: Locator, times = 1): Promise<void> {
  return button.evaluate((element: HTMLElement, count) => {
    for (let pressed = 0; pressed < count; pressed += 1) element.click();
  }, times);
}
