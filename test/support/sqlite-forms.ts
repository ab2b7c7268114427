import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIds } from '../../lib/platform/ids.ts';
import { IN_MEMORY } from '../../lib/storage/sqlite/connection.ts';
import { openStateDatabase, stateDatabaseFile } from '../../lib/storage/sqlite/database.ts';
import {
  createSqliteStores,
  type OpenSqlite,
  openOnThisThread,
  type SqliteStores,
} from '../../lib/storage/sqlite/sqlite-stores.ts';
import { startStorageThreads } from '../../lib/storage/sqlite/storage-threads.ts';

/** The ports of a new, empty state. */
export interface OpenForm {
  readonly stores: SqliteStores;
  /** Opens the same state for another process, whose lease ends at the given time in Unix seconds. */
  other(leaseUntilSecs: number): Promise<SqliteStores>;
  /** Closes the state and opens it again. In memory, it cannot be opened again. */
  reopen(): Promise<SqliteStores>;
  /** Closes and removes the state. */
  close(): Promise<void>;
}

const ids = createIds(() => 0);

type Form = readonly [label: string, open: () => Promise<OpenForm>];

/** Each form in which a state that outlives its process can be opened. */
export const DISK_FORMS: readonly Form[] = [
  [
    'SQLite on the thread of its caller',
    () => openOnDisk((file) => openOnThisThread({ file, ids })),
  ],
  ['SQLite in storage threads', () => openOnDisk(openInThreads)],
];

/** Each form in which the ports of the state database can be opened. All pass the same contracts. */
export const SQLITE_FORMS: readonly Form[] = [['SQLite in memory', openInMemory], ...DISK_FORMS];

async function openInMemory(): Promise<OpenForm> {
  const database = openStateDatabase({ file: IN_MEMORY, ids });
  return {
    stores: createSqliteStores(database),
    async other(leaseUntilSecs) {
      const stores = createSqliteStores({ ...database, owner: ids.newOpaqueId() });
      await stores.lease.renew(leaseUntilSecs);
      return stores;
    },
    reopen: () => Promise.reject(new Error('a database in memory ends with its connection')),
    close: database.close,
  };
}

function openInThreads(file: string): Promise<OpenSqlite> {
  return startStorageThreads().open({
    file,
    // The contract suites call the second thread too.
    overlapsBeforeReader: 1,
    onFailure(error) {
      throw error;
    },
  });
}

async function openOnDisk(open: (file: string) => Promise<OpenSqlite>): Promise<OpenForm> {
  const directory = await mkdtemp(join(tmpdir(), 'sqlite-'));
  const file = stateDatabaseFile(directory);
  let opened = await open(file);
  const others: OpenSqlite[] = [];
  return {
    stores: opened.stores,
    async other(leaseUntilSecs) {
      const other = await open(file);
      others.push(other);
      await other.stores.lease.renew(leaseUntilSecs);
      return other.stores;
    },
    async reopen() {
      await opened.close();
      opened = await open(file);
      return opened.stores;
    },
    async close() {
      for (const { close } of [...others, opened]) await close();
      await rm(directory, { recursive: true });
    },
  };
}
