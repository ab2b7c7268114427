import { describe } from 'vitest';
import { describeSessionStore } from '../../../contracts/session-store.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openPostgresForm } from '../../../support/postgres-form.ts';

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeSessionStore('PostgreSQL', async () => {
    const { stores, reopen, close } = await openPostgresForm();
    return { store: stores.sessions, reopen: async () => (await reopen()).sessions, close };
  });
});
