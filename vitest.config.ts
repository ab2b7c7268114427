import { defineConfig } from 'vitest/config';
import { DEFAULT_DRIVERS_ONLY } from './test/support/default-drivers-only.ts';
import { IS_SCALED } from './test/support/drivers.ts';

// Tests that start no program, and that leave nothing in their process that another file could notice.
const SHARED = [
  'test/{dashboard,handlers}/**/*.test.ts',
  'test/lib/{admission,billing,config,contract,cursors,diagnostics,errors,http,image-requests,log,mcp}/**/*.test.ts',
  'test/lib/{metrics,net,openai,platform,prices,replay,runs,tokens}/**/*.test.ts',
];

// PostgreSQL and the S3 server need their share of a busy machine, too.
const TIMEOUT_MS = IS_SCALED ? 180_000 : 60_000;

export default defineConfig({
  test: {
    // They need Chromium: npm run test:browser.
    exclude: ['test/browser/**', ...(IS_SCALED ? Object.keys(DEFAULT_DRIVERS_ONLY) : [])],
    // Runs once, before all files of both projects.
    globalSetup: ['test/support/build-once.ts', 'test/support/engines/run-engines.ts'],
    pool: 'forks',
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    // A condition that holds is seen at once; this is for machines that are busy.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: SHARED },
      },
      // One process runs one file after the other, because to load the sources takes longer than most of these files.
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
    ],
  },
});
