import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { slowCpu } from './measure.ts';

const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

/** The combinations of theme and size in which a view is looked at. */
export const THEMES_AND_SIZES = [
  ['light', 'desktop'],
  ['dark', 'desktop'],
  ['light', 'phone'],
  ['dark', 'phone'],
] as const;

interface Options {
  /** The path to open. Default: `/dashboard`. */
  readonly path?: string;
  readonly theme?: 'light' | 'dark';
  readonly size?: keyof typeof SIZES | { readonly width: number; readonly height: number };
  readonly reducedMotion?: boolean;
  readonly touch?: boolean;
  /** Device pixels per CSS pixel. */
  readonly density?: number;
  /** The content of sessionStorage at each load of the page, unless the page has changed it. */
  readonly session?: Readonly<Record<string, string>>;
  /** The factor by which the CPU is slowed down. */
  readonly cpuSlowdown?: number;
  /** Problems that the test expects, such as the line in the console about a 401. */
  readonly expects?: readonly RegExp[];
}

interface OpenedPage {
  readonly context: BrowserContext;
  readonly problems: readonly string[];
  readonly expects: readonly RegExp[];
}

const opened: OpenedPage[] = [];

/** Opens the dashboard at this address in a new profile. At the end of the test, problems of the page fail the test. */
export async function openPage(address: string, options: Options = {}): Promise<Page> {
  const { theme = 'light', size = 'desktop', session = {}, path = '/dashboard' } = options;
  const browser = await openBrowser();
  const context = await browser.newContext({
    viewport: typeof size === 'string' ? SIZES[size] : size,
    colorScheme: theme,
    reducedMotion: options.reducedMotion ? 'reduce' : 'no-preference',
    hasTouch: options.touch ?? false,
    deviceScaleFactor: options.density ?? 1,
    locale: 'en-GB',
    timezoneId: 'UTC',
    acceptDownloads: true,
  });
  const problems: string[] = [];
  opened.push({ context, problems, expects: options.expects ?? [] });
  watch(context, new URL(address).origin, problems);
  await context.addInitScript(
    ({ origin, entries }) => {
      // Chromium's own error page for a failed connection has no storage.
      if (location.origin !== origin) return;
      for (const [key, value] of Object.entries(entries)) sessionStorage[key] ??= value;
    },
    { origin: new URL(address).origin, entries: session },
  );
  const page = await context.newPage();
  if (options.cpuSlowdown !== undefined) await slowCpu(page, options.cpuSlowdown);
  await page.goto(address + path);
  // Until then, the placeholders of index.html are shown, which have no button and handle no keys.
  await page.locator('#app button').first().waitFor({ state: 'attached' });
  return page;
}

/** Returns all problems of a page so far, expected or not. */
export function problemsOf(page: Page): readonly string[] {
  return opened.find(({ context }) => context === page.context())?.problems ?? [];
}

/** Closes every page. Resolves with the problems that no test expected. */
export async function closePages(): Promise<readonly string[]> {
  const pages = opened.splice(0);
  await Promise.all(pages.map(({ context }) => close(context)));
  return pages.flatMap(({ problems, expects }) =>
    problems.filter((problem) => !expects.some((expected) => expected.test(problem))),
  );
}

/** Removes the routes first. An error in a route of a closed page would fail the whole run without naming a test. */
async function close(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await context.close();
}

function watch(context: BrowserContext, origin: string, problems: string[]): void {
  // A violation of the content security policy is also logged as an error in the console.
  context.on('console', (message) => {
    if (message.type() !== 'error') return;
    problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => problems.push(`exception: ${error.error().stack}`));
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin) problems.push(`another origin: ${request.url()}`);
  });
  context.on('page', (page) => {
    page.on('crash', () => problems.push('the page crashed'));
  });
}
