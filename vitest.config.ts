import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need Chromium: npm run test:browser.
    exclude: ['test/browser/**'],
    globalSetup: ['test/support/build-once.ts', 'test/support/engines/run-engines.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A condition that holds is seen at once; this is for machines that are busy.
    expect: { poll: { timeout: 20_000 } },
  },
});
