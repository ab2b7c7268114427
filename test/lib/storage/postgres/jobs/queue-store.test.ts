import { describe } from 'vitest';
import { describeQueueStore } from '../../../../contracts/queue-store.ts';
import { HAS_POSTGRES } from '../../../../support/postgres.ts';
import { openPostgresForm } from '../../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeQueueStore('PostgreSQL', async () => {
    const { stores, close } = await openPostgresForm();
    return { queue: stores.queue, jobs: stores.jobs, close };
  });
});
