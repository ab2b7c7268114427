import type { Locator } from 'playwright-core';

/** Returns the texts of the elements that are too small for their text. */
export function cutTexts(elements: Locator): Promise<readonly (string | null)[]> {
  return elements.evaluateAll((all) =>
    all
      .filter(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
          scrollWidth > clientWidth || scrollHeight > clientHeight,
      )
      .map(({ textContent }) => textContent),
  );
}
