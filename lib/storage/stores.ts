import type { Permits } from '../admission/permits-port.ts';
import type { ArtifactFiles } from '../artifacts/artifact-files-port.ts';
import type { ArtifactStore } from '../artifacts/artifact-store-port.ts';
import type { StoredObjects } from '../artifacts/stored-objects-port.ts';
import type { BillingStore } from '../billing/billing-store-port.ts';
import type { LedgerStore } from '../generation/ledger/ledger-store-port.ts';
import type { StoredInputFiles } from '../inputs/stored-inputs-port.ts';
import type { JobBatchStore } from '../jobs/job-batch-store-port.ts';
import type { JobHistoryStore } from '../jobs/job-history-port.ts';
import type { JobNotices, JobProgressStore } from '../jobs/job-notices-port.ts';
import type { JobSearch, JobStore } from '../jobs/job-store-port.ts';
import type { QueueStore } from '../jobs/queue-store-port.ts';
import type { Task } from '../platform/task.ts';
import type { PresetStore } from '../presets/preset-store-port.ts';
import type { LoginStore } from '../providers/credentials/login-store-port.ts';
import type { ReplayPolicies, ReplayStore } from '../replay/replay-store-port.ts';
import type { SessionStore } from '../sessions/session-store-port.ts';
import type { UsageStore } from '../usage/usage-store-port.ts';
import type { WebhookStore } from '../webhooks/webhook-store-port.ts';

/** The environment variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A property of the database server that does not prevent a start. `search_locale`: searches for letters outside ASCII are slow,
 * because of the `LC_CTYPE` of the database. `clock_skew`: the clocks of this machine and of the database differ by more than two
 * seconds.
 */
export interface ServerWarning {
  readonly reason: 'search_locale' | 'clock_skew';
  /** The milliseconds by which the clock of the database is ahead. Undefined for other reasons. */
  readonly skewMs?: number;
}

/** The stores that every driver keeps in tables. */
export interface TableStores {
  readonly jobs: JobStore;
  readonly history: JobHistoryStore;
  readonly queue: QueueStore;
  readonly batches: JobBatchStore;
  readonly presets: PresetStore;
  readonly sessions: SessionStore;
  readonly ledger: LedgerStore;
  readonly usage: UsageStore;
  readonly billing: BillingStore;
  readonly webhooks: WebhookStore;
  readonly artifacts: ArtifactStore;
}

/** All stores of the database that `state.driver` selects. */
export interface StateStores extends TableStores {
  readonly search: JobSearch;
  readonly notices: JobNotices;
  readonly progress: JobProgressStore;
  /** The slots of limits that hold for all replicas. Undefined if this process is the only one. */
  readonly permits: Permits | undefined;
  /** The login that all replicas share. Undefined if this process is the only one. */
  readonly login: LoginStore | undefined;
  openReplay(policies: ReplayPolicies): ReplayStore;
  /** 32 random bytes, created with the state. Used as the key for all values that must not be guessed or forged. */
  readonly secret: Uint8Array;
  /** Renews the lease that shows other processes that the rows of this process are not abandoned. */
  readonly leaseRenewal: Task;
  /** The pause between two searches for the work of ended processes. Absent if no other process can use the state. */
  readonly takeoverEveryMs?: number;
  /** Resolves with true if the state can be read and written. After a rejected write, tries to write as much as a job needs. */
  probe(): Promise<boolean>;
  /** Resolves with the number of bytes that the state uses, and with the size of the database. */
  sizes(): Promise<{ readonly logicalBytes: number; readonly physicalBytes: number }>;
  /** Resolves when all pending writes are durable and all stores are closed. */
  close(): Promise<void>;
}

/** All stores of the files that `artifacts.driver` places. */
export interface FileStores {
  readonly artifactFiles: ArtifactFiles;
  readonly storedInputs: StoredInputFiles;
  /** The objects of the bucket. Undefined for a folder, whose files do not tell who wrote them. */
  readonly storedObjects?: StoredObjects | undefined;
  close(): void;
}
