import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What axe-core finds on the page, one line each, once nothing on it fades or moves in any more: half faded, a text has
 * another contrast. Evaluated by the debugger, which the page's policy does not bind.
 */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
        .map(({ finished }) => finished),
    ),
  );
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target}: ${failureSummary}`),
    );
  });
}
