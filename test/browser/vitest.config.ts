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
    // What is waited for is seen at once; this is for machines that are busy. Playwright gives each step 30 s.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
