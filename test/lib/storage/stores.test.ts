import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStores } from '../../../lib/storage/open-stores.ts';
import { describeStores } from '../../contracts/stores.ts';
import { HAS_POSTGRES } from '../../support/postgres.ts';
import { openPostgresState } from '../../support/postgres-state.ts';

const outside = {
  clock: systemClock,
  ids: createIds(systemClock.nowMs),
  env: {},
  onIndexFailure: () => {},
};

for (const [label, thread] of [
  ['SQLite in storage threads', true],
  ['SQLite on the thread of its caller', false],
] as const) {
  describeStores(label, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stores-'));
    const places = [`state.directory=${directory}`, `artifacts.root=${directory}/artifacts`];
    const loaded = await loadConfig({ cwd: directory, env: {}, set: places });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    return {
      open: () => openStores(loaded.config, { ...outside, thread }),
      remove: () => rm(directory, { recursive: true }),
    };
  });
}

describe.runIf(HAS_POSTGRES)('on a PostgreSQL server', () => {
  describeStores('PostgreSQL', async () => {
    const directory = randomUUID();
    return { open: () => openPostgresState(directory), remove: async () => {} };
  });
});
