import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = process.env['SCREENSHOTS'] ?? 'test-results/screenshots';

/** Saves a screenshot of the page as NAME.png, for review. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
