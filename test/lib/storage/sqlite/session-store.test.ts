import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIds } from '../../../../lib/platform/ids.ts';
import { openStateDatabase, stateDatabaseFile } from '../../../../lib/storage/sqlite/database.ts';
import { createSessionStore } from '../../../../lib/storage/sqlite/session-store.ts';
import { describeSessionStore } from '../../../contracts/session-store.ts';

const ids = createIds(() => 0);

describeSessionStore('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sessions-'));
  const open = () => openStateDatabase({ file: stateDatabaseFile(directory), ids });
  let database = open();
  return {
    store: createSessionStore(database),
    async reopen() {
      await database.close();
      database = open();
      return createSessionStore(database);
    },
    async close() {
      await database.close();
      await rm(directory, { recursive: true });
    },
  };
});
