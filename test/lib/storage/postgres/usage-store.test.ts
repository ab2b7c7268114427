import { describe } from 'vitest';
import { describeUsageStore } from '../../../contracts/usage-store.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openPostgresForm } from '../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeUsageStore('PostgreSQL', async () => {
    const { stores, reopen, close } = await openPostgresForm();
    return {
      store: stores.usage,
      ledger: stores.ledger,
      async reopen() {
        const { usage: store, ledger } = await reopen();
        return { store, ledger };
      },
      close,
    };
  });
});
