import { describe } from 'vitest';
import { createJobSearch } from '../../../../../lib/storage/postgres/jobs/job-search.ts';
import { describeJobSearch } from '../../../../contracts/job-search.ts';
import { HAS_POSTGRES } from '../../../../support/postgres.ts';
import { openPostgresForm } from '../../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeJobSearch('PostgreSQL, in the newest jobs', async () => {
    const { stores, close } = await openPostgresForm();
    return { search: stores.search, jobs: stores.jobs, close };
  });

  describeJobSearch('PostgreSQL, mostly in the index', async () => {
    const { stores, database, close } = await openPostgresForm();
    const search = createJobSearch(database, { firstJobs: 2 });
    return { search, jobs: stores.jobs, close };
  });
});
