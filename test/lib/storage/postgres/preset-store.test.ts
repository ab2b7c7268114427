import { describe } from 'vitest';
import { describePresetStore } from '../../../contracts/preset-store.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openPostgresForm } from '../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describePresetStore('PostgreSQL', async () => {
    const { stores, close } = await openPostgresForm();
    return { store: stores.presets, close };
  });
});
