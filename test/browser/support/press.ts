import type { Locator } from 'playwright-core';

/**
 * Presses a button one or more times in a single task. Use this for a button that disappears after some seconds, that
 * needs a second press within them, or that is covered soon by the dialog that asks for a token, because the mouse may be
 * too slow on a busy machine.
 */
export function press(button: Locator, times = 1): Promise<void> {
  return button.evaluate((element: HTMLElement, count) => {
    for (let pressed = 0; pressed < count; pressed += 1) element.click();
  }, times);
}
