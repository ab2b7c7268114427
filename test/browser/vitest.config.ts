import { defineConfig } from 'vitest/config';

/** The dashboard in Chromium: `npm run test:browser`. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/support/build-once.ts'],
    setupFiles: ['test/browser/support/close-all.ts'],
    pool: 'forks',
    // Each file starts a browser.
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
