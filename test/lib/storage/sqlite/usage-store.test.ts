import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIds } from '../../../../lib/platform/ids.ts';
import { openStateDatabase, stateDatabaseFile } from '../../../../lib/storage/sqlite/database.ts';
import { createLedgerStore } from '../../../../lib/storage/sqlite/ledger-store.ts';
import { createUsageStore } from '../../../../lib/storage/sqlite/usage-store.ts';
import { describeUsageStore } from '../../../contracts/usage-store.ts';

const ids = createIds(() => 0);

describeUsageStore('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'usage-'));
  const open = () => openStateDatabase({ file: stateDatabaseFile(directory), ids });
  let database = open();
  const storesOf = () => ({
    ledger: createLedgerStore(database),
    store: createUsageStore(database),
  });
  return {
    ...storesOf(),
    async reopen() {
      await database.close();
      database = open();
      return storesOf();
    },
    async close() {
      await database.close();
      await rm(directory, { recursive: true });
    },
  };
});
