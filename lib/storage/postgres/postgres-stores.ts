import type { JobSearch } from '../../jobs/job-store-port.ts';
import type { TableStores } from '../stores.ts';
import { createArtifactStore } from './artifact-store.ts';
import { createBillingStore } from './billing-store.ts';
import type { Database } from './database.ts';
import { createJobBatchStore } from './job-batch-store.ts';
import { createJobHistory } from './jobs/job-history.ts';
import { createJobSearch } from './jobs/job-search.ts';
import { createJobStore } from './jobs/job-store.ts';
import { createQueueStore } from './jobs/queue-store.ts';
import { createLedgerStore } from './ledger-store.ts';
import { createPresetStore } from './preset-store.ts';
import type { ReplicaLease } from './replica-lease.ts';
import { createSessionStore } from './session-store.ts';
import { createUsageStore } from './usage-store.ts';
import { createWebhookStore } from './webhook-store.ts';

/** Every port of the state database. */
export interface PostgresStores extends TableStores {
  readonly search: JobSearch;
  readonly health: Pick<Database, 'probe' | 'sizes'>;
}

export function createPostgresStores(database: Database, lease: ReplicaLease): PostgresStores {
  return {
    jobs: createJobStore(database, lease),
    history: createJobHistory(database),
    queue: createQueueStore(database),
    batches: createJobBatchStore(database),
    search: createJobSearch(database),
    presets: createPresetStore(database),
    sessions: createSessionStore(database),
    ledger: createLedgerStore(database, lease),
    usage: createUsageStore(database),
    billing: createBillingStore(database),
    webhooks: createWebhookStore(database, lease),
    artifacts: createArtifactStore(database, lease),
    health: { probe: database.probe, sizes: database.sizes },
  };
}
