import { hostname } from 'node:os';
import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Environment, ServerWarning, StateStores } from '../stores.ts';
import { readConnectionUrls } from './connection-urls.ts';
import { type Database, openDatabase } from './database.ts';
import { createJobProgress } from './job-progress.ts';
import { hasAllTrigrams } from './jobs/job-search.ts';
import { createLoginStore } from './login-store.ts';
import { MIGRATIONS } from './migrations.ts';
import { createNotifications } from './notifications.ts';
import { createPermits } from './permits.ts';
import { createPostgresStores } from './postgres-stores.ts';
import { createReplayStore } from './replay-store.ts';
import { createReplicaLease, NOW_MS, type ReplicaLease } from './replica-lease.ts';

interface Outside {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId' | 'newFraction'>;
  readonly env: Environment;
  /** Reports that notifications of other replicas do not arrive. Called once until they arrive again. */
  readonly onListenFailure?: ((error: unknown) => void) | undefined;
  readonly onWarning?: ((warning: ServerWarning) => void) | undefined;
}

type Settings = Pick<Config, 'state' | 'artifacts' | 'replica' | 'runtime'>;

// A replica misses five renewals before its lease ends.
const RENEWALS_PER_LEASE = 6;
// The jobs of a replica that was killed end at most this long after its lease.
const MAX_TAKEOVER_MS = 5000;
const LOOK_EVERY_MS = 500;

/**
 * Opens the database as one of its replicas, in the newest schema, or creates the schema. Throws `configuration` if the database
 * cannot be used, or if another replica is running and the files are not shared. Throws `overloaded` if the server is unavailable.
 */
export async function openPostgres(
  { state: { postgres }, artifacts, replica, runtime }: Settings,
  outside: Outside,
): Promise<StateStores> {
  const { clock, ids, env, onListenFailure: onFailure = () => {}, onWarning } = outside;
  const { url, listenUrl } = readConnectionUrls(postgres, env);
  const database = await openDatabase({
    url,
    schema: postgres.schema,
    clock,
    ids,
    migrate: postgres.migrate,
    maxConnections: postgres.max_connections,
    statementTimeoutMs: postgres.statement_timeout_ms,
  });
  const { lease_ms: leaseMs, name = hostname() } = replica;
  const lease = createReplicaLease(database, { name, version: MIGRATIONS.length, leaseMs, clock });
  try {
    await lease.renew();
    const isShared = artifacts.driver === 's3' || artifacts.shared_folder;
    if (!isShared) await waitUntilAlone(database, { clock, lease, leaseMs });
    if (onWarning) await warn(database, lease, onWarning);
  } catch (error) {
    await database.close();
    throw error;
  }
  const notifications = createNotifications({
    url: listenUrl,
    schema: postgres.schema,
    owner: database.owner,
    clock,
    onFailure,
    wakeups: postgres.wakeups,
    pollMs: postgres.poll_ms,
  });
  const { wakeUps } = notifications;
  const shared = { postgres: database, lease, clock, wakeUps, pollMs: postgres.poll_ms };
  const { health, ...stores } = createPostgresStores(database, lease);
  return {
    ...stores,
    notices: notifications.notices,
    progress: createJobProgress(database, { notifications, clock }),
    permits: runtime.gates === 'shared' ? createPermits({ ...shared, ids }) : undefined,
    login: createLoginStore(shared),
    openReplay: (policies) => createReplayStore({ ...shared, policies }),
    secret: database.secret,
    leaseRenewal: {
      name: 'lease-renewal',
      everyMs: Math.floor(leaseMs / RENEWALS_PER_LEASE),
      run: lease.renew,
    },
    takeoverEveryMs: Math.min(MAX_TAKEOVER_MS, leaseMs / 2),
    probe: health.probe,
    sizes: health.sizes,
    async close() {
      await notifications.close();
      await lease.end().catch(() => {});
      await database.close();
    },
  };
}

async function warn(
  { read }: Database,
  { clockOffsetMs }: ReplicaLease,
  onWarning: (warning: ServerWarning) => void,
): Promise<void> {
  const skewMs = clockOffsetMs();
  if (skewMs !== 0) onWarning({ reason: 'clock_skew', skewMs });
  if (!(await read(hasAllTrigrams))) onWarning({ reason: 'search_locale' });
}

/**
 * Waits until no earlier replica is running, at most until the lease of a replica that was killed has ended. Throws `configuration`
 * if another replica renews its lease.
 */
async function waitUntilAlone(
  { schema, owner, read }: Database,
  {
    clock,
    lease,
    leaseMs,
  }: { readonly clock: Clock; readonly lease: ReplicaLease; readonly leaseMs: number },
): Promise<void> {
  const FIND_EARLIER = `
    SELECT FROM ${schema}.replica AS other JOIN ${schema}.replica AS mine ON mine.id = $1
    WHERE other.lease_until > ${NOW_MS} AND (other.started, other.id) < (mine.started, mine.id)`;
  const { signal } = new AbortController();
  const untilMs = clock.monotonicMs() + leaseMs + LOOK_EVERY_MS;
  while ((await read(({ rows }) => rows(FIND_EARLIER, [owner]))).length > 0) {
    if (clock.monotonicMs() >= untilMs) {
      await lease.end();
      throw new BridgeError(
        'configuration',
        'artifacts.shared_folder: another replica is running, and replicas must share their files; set artifacts.driver to "s3", or set artifacts.shared_folder to true if all replicas reach the same folders',
      );
    }
    await sleep(clock, LOOK_EVERY_MS, signal);
    await lease.renew();
  }
}
