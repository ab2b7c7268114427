import { describe } from 'vitest';
import { describeBillingStore } from '../../../contracts/billing-store.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openPostgresForm } from '../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeBillingStore('PostgreSQL', async () => {
    const { stores, close } = await openPostgresForm();
    return { ...stores, close };
  });
});
