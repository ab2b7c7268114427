import { describe } from 'vitest';
import { describeJobLineage } from '../../../../contracts/job-lineage.ts';
import { HAS_POSTGRES } from '../../../../support/postgres.ts';
import { openPostgresForm } from '../../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeJobLineage('PostgreSQL', async () => {
    const { stores, close } = await openPostgresForm();
    return { store: stores.jobs, artifacts: stores.artifacts, close };
  });
});
