import type { Permits, Release } from '../../admission/permits-port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Postgres, Queries } from './connection.ts';
import { NOW_MS, type ReplicaLease } from './replica-lease.ts';
import { createRepeatedWrites, createUndo, type WakeUps, waitUntilFound } from './waiting.ts';

interface Deps {
  readonly postgres: Postgres;
  readonly lease: Pick<ReplicaLease, 'judge'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly wakeUps: WakeUps;
  readonly pollMs: number;
}

// A permit is held for seconds, so a waiting request that hears of no release looks often.
const MAX_POLL_MS = 250;

/**
 * Creates the permits of all replicas. A permit is a row, which is free again when it is released or when the lease of its owner
 * ends. Waiting requests of all replicas compete for a released permit, so that a busy replica keeps no other replica waiting.
 */
export function createPermits({ postgres, lease, clock, ids, wakeUps, pollMs }: Deps): Permits {
  const { schema, owner, write } = postgres;
  const statements = toStatements(schema);
  const repeatUntilDone = createRepeatedWrites(clock);
  const undo = createUndo(clock);
  const waiting = { clock, wakeUps, pollMs: Math.min(pollMs, MAX_POLL_MS) };
  const topicOf = (gate: string) => `permit ${gate}`;

  async function takeIn({ rows }: Queries, gate: string, limit: number, holder: string) {
    const values = [gate, limit, owner, holder];
    for (;;) {
      if ((await rows(statements.takeFree, values)).length > 0) return true;
      const [next] = await rows<{ isAdded: boolean }>(statements.addNext, values);
      if (next?.isAdded) return true;
      // If another replica has added the slot meanwhile, a further slot may be added.
      if (!next) break;
    }
    const isLate = (await rows(statements.findLate, [gate, limit])).length > 0;
    if (!isLate || !(await lease.judge({ rows }))) return false;
    return (await rows(statements.takeGone, values)).length > 0;
  }

  const release = (gate: string, holder: string) =>
    write(async (queries) => {
      await queries.rows(statements.release, [owner, holder]);
      await wakeUps.send(queries, topicOf(gate));
    });

  async function take(gate: string, limit: number): Promise<Release | undefined> {
    const holder = ids.newOpaqueId();
    let isHeld: boolean;
    try {
      isHeld = await write((queries) => takeIn(queries, gate, limit, holder));
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
    acquire: (gate, limit, signal) =>
      waitUntilFound(waiting, topicOf(gate), () => take(gate, limit), signal),
  };
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
  return {
    takeFree: takeWhere('owner IS NULL'),
    takeGone: takeWhere(isGone),
    findLate: `SELECT FROM ${permit} WHERE gate = $1 AND slot < $2 AND ${isLate} LIMIT 1`,
    addNext: `
      WITH next AS (
        SELECT coalesce(max(slot) + 1, 0) AS slot FROM ${permit} WHERE gate = $1
      ), added AS (
        INSERT INTO ${permit} (gate, slot, owner, holder)
        SELECT $1, slot, $3, $4 FROM next WHERE slot < $2 ON CONFLICT DO NOTHING RETURNING slot
      )
      SELECT EXISTS (SELECT FROM added) AS "isAdded" FROM next WHERE slot < $2`,
    release: `
      UPDATE ${permit} SET owner = NULL, holder = NULL WHERE owner = $1 AND holder = $2`,
  };
}
