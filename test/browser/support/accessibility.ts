import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Returns the problems that axe-core finds on the page, one line each. Waits until all transitions have ended, because
 * a half-faded text has a lower contrast. Evaluated by the debugger, which the policy of the page does not restrict.
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
