import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PERMISSIONS } from '../../lib/contract/request/caller.ts';
import type { Token } from '../../lib/tokens/token.ts';
import { toTokensText } from '../../lib/tokens/tokens-text.ts';
import { freshFolder } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { restart, startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs } from './support/submit-jobs.ts';

const TOKEN = 'correct-horse-battery-staple';
const dialog = (page: Page) => page.getByRole('dialog', { name: 'This bridge requires a token' });

const PHOTO = new URL('../data/photos/coffee.png', import.meta.url).pathname;

async function useToken(page: Page, token: string): Promise<void> {
  await dialog(page).getByLabel('Token', { exact: true }).fill(token);
  await dialog(page).getByRole('button', { name: 'Connect' }).click();
}

/** Returns everything that the browser stores for the page as text, including prompts and image names. */
function storedText(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const result = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await result(indexedDB.open('keyval-store'));
    const kept = await result(database.transaction('keyval').objectStore('keyval').getAll());
    database.close();
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, kept]);
  });
}

describe('a bridge with a token', () => {
  it('asks for the token, rejects a wrong token, and stores the right one only in this tab', async () => {
    const bridge = await startDashboard({ token: TOKEN });
    const page = await openPage(bridge.address, { expects: [/401/] });

    await dialog(page).waitFor();
    await dialog(page).getByLabel('Token', { exact: true }).fill('wrong-wrong-wrong-wrong');
    await dialog(page).getByRole('button', { name: 'Connect' }).click();
    await page.getByText('The bridge rejected this token.').waitFor();
    await keepScreenshot(page, 'token-refused');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog(page).getByLabel('Token', { exact: true }).fill(TOKEN);
    await page.keyboard.press('Enter');

    await page.getByRole('status').getByText('Connected').waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /sandbox-image/ }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(TOKEN);
    expect(page.url()).not.toContain(TOKEN);
  });

  it('lets the user postpone the token, and asks again from the top bar', async () => {
    const bridge = await startDashboard({ token: TOKEN });
    const page = await openPage(bridge.address, { expects: [/401/] });

    await dialog(page).getByRole('button', { name: 'Not now' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Needs a token' }).click();

    await dialog(page).waitFor();
  });

  it('offers to connect in place of the images, and shows no model as ready', async () => {
    const bridge = await startDashboard({ token: TOKEN });
    const page = await openPage(bridge.address, { expects: [/401/] });
    await dialog(page).getByRole('button', { name: 'Not now' }).click();

    await page.getByRole('main').getByRole('button', { name: 'Connect' }).click();

    await dialog(page).waitFor();
    expect(await page.locator('.model .dot').getAttribute('class')).toBe('dot off');
  });

  it('asks again when the token changes: a mistyped token keeps the draft, a different token starts with an empty draft', async () => {
    const bridge = await startDashboard({ token: TOKEN });
    const page = await openPage(bridge.address, {
      session: { 'image-bridge.token': TOKEN },
      expects: [/401/, /ERR_|503/],
    });
    const prompt = page.getByLabel('Prompt', { exact: true });
    await prompt.fill('a lighthouse at dusk');
    await page.getByText('1 call to sandbox-image.').waitFor();

    const next = 'another-horse-battery-staple';
    await restart(bridge, { token: next });

    await useToken(page, 'wrong-wrong-wrong-wrong');
    await page.getByText('The bridge rejected this token.').waitFor();
    expect(await prompt.inputValue()).toBe('a lighthouse at dusk');
    await useToken(page, next);
    await page.getByRole('status').getByText('Connected').waitFor();
    await expect.poll(() => prompt.inputValue()).toBe('');
    await page.reload();
    await page.getByRole('status').getByText('Connected').waitFor();
    expect(await storedText(page)).not.toContain('a lighthouse at dusk');
  });
});

describe('the draft of a token', () => {
  const [ALICE, BOB] = ['token-of-alice-alice', 'token-of-bob-bob-bob'];
  const prompt = (page: Page) => page.getByLabel('Prompt', { exact: true });

  async function startWithTokens() {
    const cwd = await freshFolder();
    const tokens = [ALICE, BOB].map((token): Token => {
      const sha256 = createHash('sha256').update(token).digest('hex');
      return {
        ...{ id: token, name: token, sha256, scope: token, disabled: false },
        permissions: DEFAULT_PERMISSIONS,
      };
    });
    await writeFile(join(cwd, 'tokens.toml'), toTokensText(tokens), { mode: 0o600 });
    return startDashboard({ cwd, set: ['server.tokens_file=tokens.toml'] });
  }

  async function writeDraft(page: Page): Promise<void> {
    await prompt(page).fill('a secret lighthouse');
    await page.locator('input[type=file]').setInputFiles(PHOTO);
    await page.getByText('coffee.png', { exact: true }).waitFor();
    await expect.poll(() => storedText(page)).toContain('coffee.png');
    await expect.poll(() => storedText(page)).toContain('a secret lighthouse');
  }

  async function expectEmpty(page: Page): Promise<void> {
    await expect.poll(() => prompt(page).inputValue()).toBe('');
    await page.getByText('coffee.png', { exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => storedText(page)).not.toMatch(/secret|coffee/);
  }

  it('survives a reload, and is removed when the token is forgotten', async () => {
    const bridge = await startWithTokens();
    const page = await openPage(bridge.address, { expects: [/401/] });
    await useToken(page, ALICE);
    await dialog(page).waitFor({ state: 'detached' });
    await writeDraft(page);
    await page.reload();
    await page.getByText('coffee.png', { exact: true }).waitFor();
    expect(await prompt(page).inputValue()).toBe('a secret lighthouse');

    await page.getByRole('button', { name: 'Connected' }).click();
    const forget = page.getByRole('dialog', { name: 'Forget the token of this tab?' });
    await forget.waitFor();
    await keepScreenshot(page, 'token-forget');
    expect(await accessibilityProblems(page)).toEqual([]);
    await forget.getByRole('button', { name: 'Forget the token' }).click();

    await dialog(page).waitFor();
    await expectEmpty(page);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await useToken(page, BOB);
    await page.getByRole('button', { name: 'Connected' }).waitFor();
    await expectEmpty(page);
    await page.keyboard.press('Control+z');
    await expectEmpty(page);
  });

  it('is not shown to another token in another tab of the same browser', async () => {
    const bridge = await startWithTokens();
    const page = await openPage(bridge.address, { expects: [/401/] });
    await useToken(page, ALICE);
    await dialog(page).waitFor({ state: 'detached' });
    await writeDraft(page);

    const other = await page.context().newPage();
    await other.goto(`${bridge.address}/dashboard`);
    await useToken(other, BOB);
    await other.getByRole('button', { name: 'Connected' }).waitFor();
    await other.getByRole('button', { name: /sandbox-image/ }).waitFor();

    expect(await prompt(other).inputValue()).toBe('');
    expect(await other.getByText('coffee.png', { exact: true }).count()).toBe(0);
    await page.reload();
    await page.getByText('coffee.png', { exact: true }).waitFor();
    expect(await prompt(page).inputValue()).toBe('a secret lighthouse');
  });

  it('can be removed if the bridge no longer accepts the token', async () => {
    const bridge = await startWithTokens();
    const page = await openPage(bridge.address, { expects: [/401/, /ERR_|503/] });
    await useToken(page, ALICE);
    await dialog(page).waitFor({ state: 'detached' });
    await writeDraft(page);
    await writeFile(join(bridge.cwd, 'tokens.toml'), '');

    await page.reload();
    await dialog(page).getByRole('button', { name: 'Forget the token' }).click();

    await expectEmpty(page);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});

describe('a bridge that stops', () => {
  it('is awaited, and everything works again when it responds', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address, { expects: [/ERR_|503/] });
    const prompt = page.getByLabel('Prompt', { exact: true });
    await prompt.fill('a lighthouse at dusk');
    await page.getByText('1 call to sandbox-image.').waitFor();

    await bridge.end();
    await page.getByRole('button', { name: 'Offline' }).waitFor();
    await page.getByText('The draft is kept on this page.').waitFor();
    await keepScreenshot(page, 'offline');
    const submit = page.getByRole('button', { name: /^Make 1 image/ });
    await expect.poll(() => submit.isDisabled()).toBe(true);

    await restart(bridge);
    await page.getByRole('status').getByText('Connected').waitFor();
    await page.getByText('1 call to sandbox-image.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: /^a lighthouse at dusk/ }).waitFor();
  });
});

describe('a network that fails', () => {
  it('is shown by the same words everywhere, until a request succeeds again', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address, { expects: [/ERR_/] });
    await page.getByRole('status').getByText('Connected').waitFor();

    await page.context().setOffline(true);

    await page.getByRole('button', { name: 'Offline' }).waitFor();
    await page.getByLabel('Prompt', { exact: true }).fill('a lighthouse');
    await page.getByText('No connection.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('status').getByText('Connected').waitFor();
    await page.getByText('1 call to sandbox-image.').waitFor();
    expect(await page.getByText('No connection.').count()).toBe(0);
  });

  it('leaves a job openable that has not been opened before, with what the list says about the job', async () => {
    const bridge = await startDashboard();
    await makeJobs(bridge.address, [{ prompt: 'Tidal bay', parameters: { size: '64x64' } }]);
    const page = await openPage(bridge.address, { expects: [/ERR_|503/] });
    // The view and everything that its code imports.
    const loaded = () =>
      page.evaluate(() => {
        const got = new Set(performance.getEntriesByType('resource').map(({ name }) => name));
        const links = document.querySelectorAll<HTMLLinkElement>(
          'link[rel=modulepreload], link[rel=stylesheet]',
        );
        const wanted = [...links].map(({ href }) => href);
        return (
          wanted.some((href) => /job-view.*js/.test(href)) && wanted.every((href) => got.has(href))
        );
      });
    await expect.poll(loaded).toBe(true);
    await bridge.end();
    await page.getByRole('button', { name: 'Offline' }).waitFor();

    await page.getByRole('link', { name: /^Tidal bay/ }).click();

    await page.getByRole('heading', { level: 1, name: 'Tidal bay' }).waitFor();
    await page.getByText('The details appear when the bridge responds again.').waitFor();
    await restart(bridge);
    await page.getByRole('heading', { name: 'Requested and delivered' }).waitFor();
  });

  it('that holds event streams back is noticed, and jobs are asked for every few seconds', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address);
    await page.route('**/v1/jobs/events', () => {});
    await page.reload();
    await page.getByRole('status').getByText('Connected').waitFor();

    await makeJobs(bridge.address, [{ prompt: 'Tidal bay', parameters: { size: '64x64' } }]);

    await page.getByRole('link', { name: /^Tidal bay$/ }).waitFor();
  });
});

describe('a part of the page that could not be loaded', () => {
  it('is loaded again when the bridge serves the page, and not before', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address, { expects: [/ERR_/] });
    const isPage = (url: URL) => url.pathname === '/dashboard/system';
    await page.route('**/system-view*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'System' }).click();
    const failed = page.getByText('This part of the page could not be loaded.');
    await failed.waitFor();
    await page.unroute('**/system-view*.js');
    await page.route(isPage, (route) => route.abort());

    const asked = page.waitForRequest((request) => isPage(new URL(request.url())));
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Offline' }).waitFor();
    await page.context().setOffline(false);
    await asked;
    await page.getByRole('status').getByText('Connected').waitFor();
    expect(await failed.count()).toBe(1);
    await page.unroute(isPage);

    await page.getByRole('cell', { name: 'any, up to 4096' }).waitFor();
  });
});

describe('an idle page', () => {
  it('reads no jobs while its event stream is open and nothing changes', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address);
    await page.clock.install();
    const opened = page.waitForResponse('**/v1/jobs/events');
    await page.reload();
    await opened;
    await page.getByRole('status').getByText('Connected').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));

    await page.clock.runFor(30_000);
    await page.evaluate(() => fetch('/health/live'));

    expect(asked.filter((url) => url.includes('visibility=all'))).toEqual([]);
  });
});

describe('the keyboard shortcuts', () => {
  it.each(['light', 'dark'] as const)(
    'are listed, and single keys can be turned off (%s)',
    async (theme) => {
      const bridge = await startDashboard();
      const page = await openPage(bridge.address, { theme });
      const prompt = page.getByLabel('Prompt', { exact: true });
      const isFocused = () => prompt.evaluate((area) => area === document.activeElement);
      await page.keyboard.press('p');
      await expect.poll(isFocused).toBe(true);
      await prompt.blur();

      await page.keyboard.press('Shift+?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await keepScreenshot(page, `shortcuts-${theme}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('switch', { name: 'Single-key shortcuts' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await page.keyboard.press('p');
      expect(await isFocused()).toBe(false);
    },
  );

  it('collapse the panel and leave the dock', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address);

    await page.keyboard.press('[');
    await page.getByLabel('Prompt', { exact: true }).waitFor({ state: 'hidden' });
    await keepScreenshot(page, 'folded');
    await page.getByRole('button', { name: /^Describe an image/ }).click();

    await page.getByLabel('Prompt', { exact: true }).waitFor();
  });
});
