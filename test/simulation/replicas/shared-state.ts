import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { JobRecord, JobStore, ResumedJob } from '../../../lib/jobs/job-store-port.ts';
import type { Clock } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import { openStateDatabase, type StateDatabase } from '../../../lib/storage/sqlite/database.ts';
import {
  createSqliteStores,
  type SqliteStores,
} from '../../../lib/storage/sqlite/sqlite-stores.ts';
import type { StateStores } from '../../../lib/storage/stores.ts';
import { refuseStaleImages } from '../../../lib/storage/storing-period.ts';
import type { WebhookStore } from '../../../lib/webhooks/webhook-store-port.ts';
import { createLeases } from './leases.ts';
import { createNoticeChannel } from './notices.ts';
import { createSharedPermits } from './permits.ts';
import { createSharedReplay } from './replay.ts';
import type { Replica } from './replica.ts';

interface Deps {
  /** The file of the database, or `IN_MEMORY`. */
  readonly file: string;
  /** The clock of the database. */
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
}

// A smaller difference between the clocks of a replica and of the database has no effect.
const TOLERATED_SKEW_MS = 2000;
const IS_OWN = "SELECT 1 FROM job WHERE seq = ? AND status = 'running' AND owner = ?";
const RENEWALS_PER_LEASE = 6;
const LONGEST_TAKEOVER_MS = 5000;

/**
 * Creates the state that several replicas share: a model of the PostgreSQL driver. The tables and their statements are those of the
 * SQLite driver over one connection, and each replica has an owner id of its own. Leases, permits, notices and replay follow the
 * promises of the ports (docs/decisions/0040-a-model-of-replicas.md).
 */
export function createSharedState({ file, clock: databaseClock, ids }: Deps) {
  const database = withSharedStatements(openStateDatabase({ file, ids }));
  const leases = createLeases(database, databaseClock);
  const isOwn = database.prepare(IS_OWN);
  const permits = createSharedPermits();
  const channel = createNoticeChannel();
  const replay = createSharedReplay(databaseClock);

  return {
    leases,
    database,

    /** Opens the stores for a replica that has renewed its lease. */
    open(replica: Replica): Omit<StateStores, 'search'> {
      const { owner, clock, leaseMs } = replica;
      const { lease: _, health, ...tables } = createSqliteStores({ ...database, owner });
      const judge = () => leases.judge(owner, leaseMs);
      const isShared = { ...replica, judge, isGone: leases.isGone };
      let skewMs = 0;

      async function renew(): Promise<void> {
        await leases.renew(owner, leaseMs);
        skewMs = databaseClock.nowMs() - clock.nowMs();
      }

      const offsetMs = () => (Math.abs(skewMs) < TOLERATED_SKEW_MS ? 0 : skewMs);
      const fenced = withImageFence(
        judging(tables.jobs, judge),
        () => databaseClock.nowMs() - offsetMs(),
      );
      const jobs = claimWithin(submitUnheard(fenced, replica), replica, {
        isValid: () => leases.isValid(owner),
        isOwn: (sequence) => isOwn.get(sequence, owner) !== undefined,
      });
      return {
        ...tables,
        ...judgingOthers(tables, judge),
        ...channel.open(replica, { jobs, queue: tables.queue }),
        webhooks: inDatabaseTime(tables.webhooks, offsetMs),
        permits: permits.open(isShared),
        login: undefined,
        openReplay: (policies) => replay.open({ ...isShared, policies }),
        secret: database.secret,
        leaseRenewal: {
          name: 'lease-renewal',
          everyMs: Math.floor(leaseMs / RENEWALS_PER_LEASE),
          run: renew,
        },
        takeoverEveryMs: Math.min(LONGEST_TAKEOVER_MS, leaseMs / 2),
        probe: async () => !isCut(replica) && health.probe(),
        sizes: health.sizes,
        close: async () => channel.leave(owner),
      };
    },

    /** Ends the lease of a replica that stops, so that others take over at once. */
    end: (owner: string): Promise<void> => leases.end(owner),

    close: database.close,
  };
}

/** Prepares each statement once for all replicas, because a replica prepares hundreds of them at each start. */
function withSharedStatements(database: StateDatabase): StateDatabase {
  const statements = new Map<string, ReturnType<StateDatabase['prepare']>>();
  return {
    ...database,
    prepare(sql) {
      const statement = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
  };
}

function isCut({ refuseCut }: Replica): boolean {
  try {
    refuseCut();
    return false;
  } catch {
    return true;
  }
}

/** Rejects jobs whose images others may have removed. `nowMs` returns the time of the database by the clock of the replica. */
function withImageFence(jobs: JobStore, nowMs: () => number): JobStore {
  return {
    ...jobs,
    async submit(job, admission) {
      refuseStaleImages(admission, nowMs());
      return jobs.submit(job, admission);
    },
  };
}

/** Lets only a replica with a valid lease take over jobs of replicas that are gone. */
function judging(jobs: JobStore, judge: () => Promise<boolean>): JobStore {
  return {
    ...jobs,
    listAbandonedOutputs: async () => ((await judge()) ? jobs.listAbandonedOutputs() : []),
    interruptAbandoned: async (end) => ((await judge()) ? jobs.interruptAbandoned(end) : 0),
    resumeAbandoned: async (end) => ((await judge()) ? jobs.resumeAbandoned(end) : undefined),
  };
}

function judgingOthers(
  { ledger, artifacts }: Pick<SqliteStores, 'ledger' | 'artifacts'>,
  judge: () => Promise<boolean>,
): Pick<SqliteStores, 'ledger' | 'artifacts'> {
  return {
    ledger: {
      ...ledger,
      recover: async () => {
        if (await judge()) await ledger.recover();
      },
    },
    artifacts: {
      ...artifacts,
      takeAbandoned: async (page) => ((await judge()) ? artifacts.takeAbandoned(page) : []),
    },
  };
}

interface Ownership {
  /** Returns true if the lease of this replica is valid. */
  isValid(): boolean;
  /** Returns true if a running job belongs to this replica. */
  isOwn(sequence: number): boolean;
}

/** Rejects accepted jobs whose answer is lost as jobs that are perhaps accepted. */
function submitUnheard(jobs: JobStore, { losesAnswer }: Pick<Replica, 'losesAnswer'>): JobStore {
  return {
    ...jobs,
    async submit(job, admission) {
      const submitted = await jobs.submit(job, admission);
      if (!losesAnswer()) return submitted;
      throw lostAnswer({ outcome: 'unknown' });
    },
  };
}

function lostAnswer(details: BridgeError['details'] = {}): BridgeError {
  return new BridgeError('overloaded', 'the answer of the database is lost', { details });
}

/**
 * Lets a replica take jobs only while its lease is valid. If the answer to a claim is lost, the next claim returns the job, unless
 * another replica has taken the job meanwhile.
 */
function claimWithin(
  jobs: JobStore,
  { losesAnswer }: Pick<Replica, 'losesAnswer'>,
  { isValid, isOwn }: Ownership,
): JobStore {
  const claimed: JobRecord[] = [];
  const resumed: ResumedJob[] = [];

  /** Returns the value, or remembers the value and throws if its answer is lost. */
  function answer<T>(value: T, unheard: T[]): T {
    if (!losesAnswer()) return value;
    unheard.push(value);
    throw lostAnswer();
  }

  return {
    ...jobs,
    async claim(...given) {
      if (!isValid()) return undefined;
      const earlier = claimed.splice(0).filter(({ sequence }) => isOwn(sequence));
      claimed.push(...earlier.slice(1));
      if (earlier[0]) return earlier[0];
      const job = await jobs.claim(...given);
      return job?.request ? answer(job, claimed) : job;
    },
    async resumeAbandoned(end) {
      if (!isValid()) return undefined;
      const earlier = resumed.splice(0).filter(({ job }) => isOwn(job.sequence));
      resumed.push(...earlier.slice(1));
      if (earlier[0]) return earlier[0];
      const one = await jobs.resumeAbandoned(end);
      return one && answer(one, resumed);
    },
  };
}

/** Converts the times of a replica to times of the database, and back. */
function inDatabaseTime(webhooks: WebhookStore, offsetMs: () => number): WebhookStore {
  return {
    ...webhooks,
    async listQueues() {
      const queues = await webhooks.listQueues();
      return queues.map(({ host, dueMs }) => ({ host, dueMs: dueMs - offsetMs() }));
    },
    claim: ({ nowMs, untilMs, ...request }) =>
      webhooks.claim({ ...request, nowMs: nowMs + offsetMs(), untilMs: untilMs + offsetMs() }),
    settle: (sequence, outcome) =>
      webhooks.settle(
        sequence,
        'dueMs' in outcome ? { ...outcome, dueMs: outcome.dueMs + offsetMs() } : outcome,
      ),
    putBack: (sequence, dueMs) => webhooks.putBack(sequence, dueMs + offsetMs()),
  };
}
