import { describe } from 'vitest';
import { describeJobLists } from '../../../../contracts/job-list.ts';
import { HAS_POSTGRES } from '../../../../support/postgres.ts';
import { openPostgresForm } from '../../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeJobLists(
    'PostgreSQL',
    async () => {
      const { stores, close } = await openPostgresForm();
      return { store: stores.jobs, close };
    },
    3,
  );
});
