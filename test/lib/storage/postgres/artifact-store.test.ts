import { describe } from 'vitest';
import { describeArtifactStore } from '../../../contracts/artifact-store.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openPostgresForm } from '../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeArtifactStore('PostgreSQL', async () => {
    const { stores, other, close } = await openPostgresForm();
    return {
      store: stores.artifacts,
      other: async (leaseUntilSecs) => (await other(leaseUntilSecs)).artifacts,
      close,
    };
  });
});
