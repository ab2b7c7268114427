import { afterAll, afterEach, expect } from 'vitest';
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from './browser.ts';
import { closeEmulators } from './dashboard.ts';
import { closePages } from './open-page.ts';

// A test fails if its page has logged an error, violated the content security policy or sent a request to another
// origin.
afterEach(async () => {
  expect(await closePages()).toEqual([]);
});

afterAll(async () => {
  await closeBrowser();
  await cleanUp();
  await closeEmulators();
});
