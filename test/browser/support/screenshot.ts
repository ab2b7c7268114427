import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = process.env['SCREENSHOTS'] ?? 'test-results/screenshots';

/** Keeps what the page looks like now as NAME.png, for people. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
