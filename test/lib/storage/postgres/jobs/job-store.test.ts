import { describe } from 'vitest';
import { describeJobStore } from '../../../../contracts/job-store.ts';
import { HAS_POSTGRES } from '../../../../support/postgres.ts';
import { openPostgresForm } from '../../../../support/postgres-form.ts';

/** The end of a lease that no test outlives. */
const FUTURE_SECS = 10_000_000_000;

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeJobStore('PostgreSQL', async () => {
    const { stores, other, endLease, close } = await openPostgresForm();
    return {
      store: stores.jobs,
      artifacts: stores.artifacts,
      ledger: stores.ledger,
      usage: stores.usage,
      other: async () => (await other(FUTURE_SECS)).jobs,
      endLease,
      close,
    };
  });
});
