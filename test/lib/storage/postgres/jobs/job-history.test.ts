import { describe } from 'vitest';
import { describeJobHistory } from '../../../../contracts/job-history.ts';
import { HAS_POSTGRES } from '../../../../support/postgres.ts';
import { openPostgresForm } from '../../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeJobHistory('PostgreSQL', async () => {
    const { stores, close } = await openPostgresForm();
    return { history: stores.history, jobs: stores.jobs, close };
  });
});
