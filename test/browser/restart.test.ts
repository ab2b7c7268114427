import { describe, expect, it } from 'vitest';
import { restart, startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';

const TOKEN = 'a-token-of-the-operator';

describe('a page that is open while the bridge restarts', () => {
  it.each([
    ['without a token', {}, {}],
    ['with a token', { token: TOKEN }, { session: { 'image-bridge.token': TOKEN } }],
  ])('reports it and works again without a reload, %s', async (_what, options, opening) => {
    const before = await startDashboard(options);
    const page = await openPage(before.address, { ...opening, expects: [/net::ERR_|503/] });
    const state = page.getByRole('status').first();
    await state.getByText('Connected').waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));

    await before.end();
    await state.getByText('Offline').waitFor();
    await restart(before, options);

    await state.getByText('Connected').waitFor();
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
  });

  it('asks for a token when the bridge requires one after the restart', async () => {
    const before = await startDashboard();
    const page = await openPage(before.address, { expects: [/net::ERR_|503/, /401/] });
    await page.getByText('Connected').first().waitFor();

    await restart(before, { token: TOKEN });

    await page.getByText('Needs a token').first().waitFor();
  });
});
