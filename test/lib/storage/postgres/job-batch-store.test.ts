import { describe } from 'vitest';
import { describeJobBatchStore } from '../../../contracts/job-batch-store.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openPostgresForm } from '../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeJobBatchStore('PostgreSQL', async () => {
    const { stores, close } = await openPostgresForm();
    return { store: stores.batches, close };
  });
});
