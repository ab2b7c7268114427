import type { Permits, Release } from '../../admission/permits-port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { createSemaphore, type Semaphore } from '../../platform/semaphore.ts';
import type { Postgres } from './connection.ts';
import { createRepeatedWrites, createUndo } from './repeated-writes.ts';
import { NOW_MS, type ReplicaLease } from './replica-lease.ts';
import { type WakeUps, waitUntilFound } from './waiting.ts';

interface Deps {
  readonly postgres: Postgres;
  readonly lease: Pick<ReplicaLease, 'judge'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly wakeUps: WakeUps;
  readonly pollMs: number;
}

// A permit is held for seconds, so a waiting request that receives no notice of a release looks often.
const MAX_POLL_MS = 250;

/**
 * Creates the permits of all replicas. A permit is a row, which is free again when it is released or when the lease of its owner
 * ends. Waiting requests of all replicas compete for a released permit, so that a busy replica keeps no other replica waiting. Of the
 * requests of one replica, only the first one competes, because each look costs the database as much as a successful one.
 */
export function createPermits({ postgres, lease, clock, ids, wakeUps, pollMs }: Deps): Permits {
  const { schema, owner, apply, write } = postgres;
  const statements = toStatements(schema);
  const repeatUntilDone = createRepeatedWrites(clock);
  const undo = createUndo(clock);
  const waiting = { clock, wakeUps, pollMs: Math.min(pollMs, MAX_POLL_MS) };
  const lines = createLines();
  const topicOf = (gate: string) => `permit ${gate}`;

  async function takeAs(holder: string, gate: string, limit: number): Promise<boolean> {
    const values = [gate, limit, owner, holder];
    for (;;) {
      const [look] = await apply<Look>(statements.take, values);
      if (look?.isTaken) return true;
      // If another replica has added the slot meanwhile, a further slot may be added.
      if (look?.mayAdd) continue;
      if (!look?.isLate) return false;
      return write(async (queries) => {
        if (!(await lease.judge(queries))) return false;
        return (await queries.rows(statements.takeGone, values)).length > 0;
      });
    }
  }

  const release = async (gate: string, holder: string) =>
    void (await apply(statements.release, [owner, holder, ...wakeUps.argumentsOf(topicOf(gate))]));

  async function take(gate: string, limit: number): Promise<Release | undefined> {
    const holder = ids.newOpaqueId();
    let isHeld: boolean;
    try {
      isHeld = await takeAs(holder, gate, limit);
    } catch (thrown) {
      // The permit may have been taken although the answer was lost.
      void undo(() => release(gate, holder));
      throw thrown;
    }
    if (!isHeld) return undefined;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      void repeatUntilDone(() => release(gate, holder));
    };
  }

  return {
    take,
    async acquire(gate, limit, signal) {
      const leave = await lines.enter(gate, signal);
      return waitUntilFound(waiting, topicOf(gate), () => take(gate, limit), signal).finally(leave);
    },
  };
}

/** Creates the lines in which the requests of this replica wait, one for each gate. */
function createLines() {
  const lines = new Map<string, Semaphore>();

  return {
    /** Resolves with a function that leaves the line, when the request is the first one. Rejects with the reason of the signal. */
    async enter(gate: string, signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted();
      const line = lines.get(gate) ?? createSemaphore(1);
      lines.set(gate, line);
      const leave = await line.acquire(signal);
      return () => {
        leave();
        // Clients choose the gates of webhooks, so that a gate without requests must not stay in memory.
        if (line.counts().active === 0) lines.delete(gate);
      };
    },
  };
}

interface Look {
  readonly isTaken: boolean;
  /** True if there are fewer slots than the limit. */
  readonly mayAdd: boolean;
  /** True if the lease of a holder has ended. */
  readonly isLate: boolean;
}

function toStatements(schema: string) {
  const permit = `${schema}.permit`;
  const isGone = `owner IS NOT NULL AND NOT EXISTS (
    SELECT FROM ${schema}.replica WHERE replica.id = permit.owner)`;
  const isLate = `owner IS NOT NULL AND NOT EXISTS (
    SELECT FROM ${schema}.replica WHERE replica.id = permit.owner AND lease_until > ${NOW_MS})`;
  const takeWhere = (condition: string) => `
    UPDATE ${permit} SET owner = $3, holder = $4
    WHERE gate = $1 AND slot = (
      SELECT slot FROM ${permit} WHERE gate = $1 AND slot < $2 AND ${condition}
      ORDER BY slot LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING slot`;
  // If the statement runs twice, its holder has two slots, which are released together.
  return {
    take: `
      WITH free AS (${takeWhere('owner IS NULL')}), next AS (
        SELECT coalesce(max(slot) + 1, 0) AS slot FROM ${permit} WHERE gate = $1
      ), added AS (
        INSERT INTO ${permit} (gate, slot, owner, holder)
        SELECT $1, slot, $3, $4 FROM next WHERE slot < $2 AND NOT EXISTS (SELECT FROM free)
        ON CONFLICT DO NOTHING RETURNING slot
      )
      SELECT
        EXISTS (SELECT FROM free) OR EXISTS (SELECT FROM added) AS "isTaken",
        slot < $2 AS "mayAdd",
        EXISTS (SELECT FROM ${permit} WHERE gate = $1 AND slot < $2 AND ${isLate}) AS "isLate"
      FROM next`,
    takeGone: takeWhere(isGone),
    release: `
      WITH freed AS (
        UPDATE ${permit} SET owner = NULL, holder = NULL WHERE owner = $1 AND holder = $2
      )
      SELECT pg_notify($3, $4)`,
  };
}
