import type { ArtifactStore } from '../../artifacts/artifact-store-port.ts';
import type { LedgerStore } from '../../generation/ledger/ledger-store-port.ts';
import type { JobSearch, JobStore, QueueStore } from '../../jobs/job-store-port.ts';
import type { PresetStore } from '../../presets/preset-store-port.ts';
import type { SessionStore } from '../../sessions/session-store-port.ts';
import type { UsageStore } from '../../usage/usage-store-port.ts';
import type { WebhookStore } from '../../webhooks/webhook-store-port.ts';
import { createArtifactStore } from './artifact-store.ts';
import type { Database } from './database.ts';
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
export interface PostgresStores {
  readonly jobs: JobStore;
  readonly queue: QueueStore;
  readonly search: JobSearch;
  readonly presets: PresetStore;
  readonly sessions: SessionStore;
  readonly ledger: LedgerStore;
  readonly usage: UsageStore;
  readonly webhooks: WebhookStore;
  readonly artifacts: ArtifactStore;
  readonly health: Pick<Database, 'probe' | 'sizes'>;
}

export function createPostgresStores(database: Database, lease: ReplicaLease): PostgresStores {
  return {
    jobs: createJobStore(database, lease),
    queue: createQueueStore(database),
    search: createJobSearch(database),
    presets: createPresetStore(database),
    sessions: createSessionStore(database),
    ledger: createLedgerStore(database, lease),
    usage: createUsageStore(database),
    webhooks: createWebhookStore(database, lease),
    artifacts: createArtifactStore(database, lease),
    health: { probe: database.probe, sizes: database.sizes },
  };
}
