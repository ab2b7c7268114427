import { afterAll, afterEach, expect } from 'vitest';
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from './browser.ts';
import { closeEmulators } from './dashboard.ts';
import { closePages } from './open-page.ts';

// No test passes whose page has logged an error, broken the content security policy or asked another origin.
afterEach(async () => {
  expect(await closePages()).toEqual([]);
});

afterAll(async () => {
  await closeBrowser();
  await cleanUp();
  await closeEmulators();
});
