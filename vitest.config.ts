import { defineConfig } from 'vitest/config';
import { DEFAULT_DRIVERS_ONLY } from './test/support/default-drivers-only.ts';
import { IS_SCALED } from './test/support/drivers.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need Chromium: npm run test:browser.
    exclude: ['test/browser/**', ...(IS_SCALED ? Object.keys(DEFAULT_DRIVERS_ONLY) : [])],
    globalSetup: ['test/support/build-once.ts', 'test/support/engines/run-engines.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A condition that holds is seen at once; this is for machines that are busy.
    expect: { poll: { timeout: 20_000 } },
  },
});
