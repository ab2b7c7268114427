import { defineConfig } from 'vitest/config';
import { DEFAULT_DRIVERS_ONLY } from '../support/default-drivers-only.ts';
import { IS_SCALED } from '../support/drivers.ts';

/** Runs the tests of the dashboard in Chromium: `npm run test:browser`. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    exclude: IS_SCALED ? Object.keys(DEFAULT_DRIVERS_ONLY) : [],
    globalSetup: ['test/support/build-once.ts', 'test/support/engines/run-engines.ts'],
    setupFiles: ['test/browser/support/close-all.ts'],
    pool: 'forks',
    // Each test file starts its own browser.
    maxWorkers: 1,
    // The timeouts are long for busy machines. A condition is checked often, so tests do not wait longer than needed.
    // Playwright limits each step to 30 s.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
