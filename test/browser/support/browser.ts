import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

// The headless shell is the same browser without its window, and takes a third less CPU time for these tests.
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env['CHROMIUM'] ?? PROGRAMS.find(existsSync);

let launched: Promise<Browser> | undefined;

/**
 * Returns the browser of this test file, which is started when it is first needed, and again if it has crashed or could
 * not be started. Throws if the machine has no browser.
 */
export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined || !existsSync(CHROMIUM)) {
    throw new Error(
      'there is no Chromium: install it with apt-get install chromium-headless-shell, or set CHROMIUM to its path',
    );
  }
  launched ??= launch(CHROMIUM);
  return launched;
}

async function launch(executablePath: string): Promise<Browser> {
  try {
    const browser = await chromium.launch({
      executablePath,
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
