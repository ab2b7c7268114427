import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

let launched: Promise<Browser> | undefined;

/**
 * Returns the browser of this test file, which is started when it is first needed, and again if it has crashed or could
 * not be started. Throws if the machine has no browser.
 */
export function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `${CHROMIUM} does not exist: install it with apt-get install chromium, or set CHROMIUM to its path`,
    );
  }
  launched ??= launch();
  return launched;
}

async function launch(): Promise<Browser> {
  try {
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
        // A page of one site needs one process less, and a tenth less CPU time.
        '--disable-site-isolation-trials',
      ],
    });
    return browser.once('disconnected', () => {
      launched = undefined;
    });
  } catch (error) {
    launched = undefined;
    throw error;
  }
}

export async function closeBrowser(): Promise<void> {
  await (await launched)?.close();
  launched = undefined;
}
