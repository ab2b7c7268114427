import { expect, test } from 'vitest';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openFiles } from '../../../lib/storage/open-files.ts';
import { createManualClock } from '../../support/manual-clock.ts';

test.each([
  ['SQLite', ['state.driver=sqlite'], false, false],
  ['SQLite and a shared folder', ['artifacts.shared_folder=true'], false, false],
  ['PostgreSQL', ['state.driver=postgres'], false, true],
  [
    'PostgreSQL and a shared folder',
    ['state.driver=postgres', 'artifacts.shared_folder=true'],
    true,
    true,
  ],
] as const)(
  'with %s, the folders are shared only if several replicas may use them',
  async (_, set, hasSharedArtifacts, hasSharedInputs) => {
    const loaded = await loadConfig({ cwd: '/', env: {}, set });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    const clock = createManualClock();

    const files = await openFiles(loaded.config, { clock, ids: createIds(clock.nowMs) });
    files.close();

    expect(files.artifactFiles.isShared).toBe(hasSharedArtifacts);
    expect(files.storedInputs.isShared).toBe(hasSharedInputs);
  },
);
