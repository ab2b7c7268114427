import type { TableStores } from '../stores.ts';
import { createArtifactStore } from './artifact-store.ts';
import { createBillingStore } from './billing-store.ts';
import { openStateDatabase, type StateDatabase } from './database.ts';
import { createJobBatchStore } from './job-batch-store.ts';
import { createJobHistory } from './jobs/job-history.ts';
import { createJobStore } from './jobs/job-store.ts';
import { createQueueStore } from './jobs/queue-store.ts';
import { createLedgerStore } from './ledger-store.ts';
import { createOwnerLease, type OwnerLease } from './owner-lease.ts';
import { createPresetStore } from './preset-store.ts';
import { createSessionStore } from './session-store.ts';
import { createUsageStore } from './usage-store.ts';
import { createWebhookStore } from './webhook-store.ts';

/** Every port of the state database. */
export interface SqliteStores extends TableStores {
  readonly lease: OwnerLease;
  readonly health: Pick<StateDatabase, 'probe' | 'sizes'>;
}

/** The open state database. */
export interface OpenSqlite {
  readonly stores: SqliteStores;
  readonly secret: Uint8Array;
  /** Resolves when all pending writes are durable and the file is closed. */
  close(): Promise<void>;
}

export function createSqliteStores(
  database: Omit<StateDatabase, 'secret' | 'close'>,
): SqliteStores {
  return {
    jobs: createJobStore(database),
    history: createJobHistory(database),
    queue: createQueueStore(database),
    batches: createJobBatchStore(database),
    presets: createPresetStore(database),
    sessions: createSessionStore(database),
    ledger: createLedgerStore(database),
    usage: createUsageStore(database),
    billing: createBillingStore(database),
    webhooks: createWebhookStore(database),
    artifacts: createArtifactStore(database),
    lease: createOwnerLease(database),
    health: { probe: database.probe, sizes: database.sizes },
  };
}

/**
 * Opens the database on the caller's thread. This thread waits for the disk at each commit. Throws `configuration` if the
 * database cannot be opened.
 */
export async function openOnThisThread(
  options: Parameters<typeof openStateDatabase>[0],
): Promise<OpenSqlite> {
  const database = openStateDatabase(options);
  const { secret, close } = database;
  return { stores: createSqliteStores(database), secret, close };
}
