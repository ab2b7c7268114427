import { checkRoom } from '../../platform/fair-share.ts';
import {
  droppedOutcome,
  entriesExhausted,
  type ReplayKind,
  type ReplayPolicies,
} from '../../replay/replay-store-port.ts';
import type { Postgres, Queries } from './connection.ts';
import { NOW_MS } from './replica-lease.ts';
import { encodeOutcome } from './stored-outcome.ts';

/** The estimated size of an entry without its outcome. A dropped success has exactly this size, and any other success is larger. */
export const ENTRY_BYTES = 512;

// The number of claims that may be counted before other claims are committed. Each of these claims needs a separate connection.
const MAX_UNCOUNTED = 256;

/** The entries of one scope. */
interface Share {
  readonly scope: string;
  /** The number of entries that may not be evicted. */
  readonly pinned: number;
  /** The number and the size of the entries that may be evicted. */
  count: number;
  bytes: number;
}

const EVICTABLE = `state = 'finished' AND clients = 0 AND is_replied AND is_success`;

/**
 * Limits the entries of each kind, as `ReplayPolicy` requires. A replica limits only its own entries if their outcomes are in its
 * memory.
 */
export function createReplaySpace({ schema, owner }: Postgres, policies: ReplayPolicies) {
  const statements = toStatements(schema);

  function readShares({ rows }: Queries, kind: ReplayKind): Promise<readonly Share[]> {
    return rows<Share>(statements.shares, [kind, owner]);
  }

  async function drop({ rows }: Queries, id: string): Promise<void> {
    await rows(statements.drop, [id, encodeOutcome(droppedOutcome())]);
  }

  /** Evicts successes while the sum of `by` exceeds `max`, each from the scope that holds the most. */
  async function evictAbove(
    queries: Queries,
    kind: ReplayKind,
    shares: readonly Share[],
    by: 'count' | 'bytes',
    max: number,
  ): Promise<void> {
    const { evicts, remembersDropped } = policies[kind];
    const select = `${statements.select[by]} ORDER BY ${ORDERS[evicts]} LIMIT 1`;
    for (let sum = sumOf(shares, by); sum > max; sum = sumOf(shares, by)) {
      const [most] = shares.filter((share) => share[by] > 0).sort((a, b) => b[by] - a[by]);
      if (!most) return;
      const values = [kind, owner, most.scope];
      const [evicted] = await queries.rows<{ id: string; bytes: number }>(select, values);
      if (!evicted) {
        // Another replica has evicted the rest of this scope.
        most[by] = 0;
        continue;
      }
      most.bytes -= evicted.bytes;
      if (by === 'bytes' && remembersDropped) await drop(queries, evicted.id);
      else {
        await queries.rows(statements.remove, [evicted.id]);
        most.count -= 1;
      }
    }
  }

  return {
    drop,

    /** Evicts a success if a further entry of the scope needs its place. Throws `overloaded` if no entry is free. */
    async makeRoom(queries: Queries, kind: ReplayKind, scope: string): Promise<void> {
      const { maxEntries: limit } = policies[kind];
      if (limit === Number.POSITIVE_INFINITY) return;
      const [total] = await queries.rows<{ count: number }>(statements.count, [kind, owner]);
      if (total && total.count < limit - Math.max(MAX_UNCOUNTED, Math.ceil(limit / 10))) return;
      // Claims near the limit wait for each other, because a count does not include entries that are not committed.
      await queries.rows(statements.lock);
      const shares = await readShares(queries, kind);
      const own = shares.find((share) => share.scope === scope);
      const room = {
        limit,
        used: sumOf(shares, 'pinned'),
        own: own?.pinned ?? 0,
        isShared: true,
        holders: () => shares.length + (own ? 0 : 1),
      };
      if (checkRoom(room, 1) !== 'room') throw entriesExhausted();
      await evictAbove(queries, kind, shares, 'count', limit - 1 - room.used);
    },

    /** Evicts successes if their sizes exceed the limit after a change to the entry with the given id. */
    async evict(queries: Queries, kind: ReplayKind, changedId: string): Promise<void> {
      const { maxBytes, remembersDropped } = policies[kind];
      const isLarge = (await queries.rows(statements.isLarge, [changedId, maxBytes])).length > 0;
      if (isLarge && remembersDropped) await drop(queries, changedId);
      else if (isLarge) await queries.rows(statements.remove, [changedId]);
      await evictAbove(queries, kind, await readShares(queries, kind), 'bytes', maxBytes);
    },
  };
}

const ORDERS = { oldest: 'until, seq', largest: 'bytes DESC, until, seq' };

function toStatements(schema: string) {
  const ofKind = `
    FROM ${schema}.replay
    WHERE kind = $1 AND (kind = 'key' OR owner = $2) AND (until IS NULL OR until > ${NOW_MS})`;
  const isKept = `${EVICTABLE} AND bytes > ${ENTRY_BYTES}`;
  return {
    lock: `SELECT pg_advisory_xact_lock(hashtextextended('${schema}', 2))`,
    count: `SELECT count(*) AS count ${ofKind}`,
    shares: `
      SELECT scope, count(*) FILTER (WHERE NOT (${EVICTABLE})) AS pinned,
        count(*) FILTER (WHERE ${EVICTABLE}) AS count,
        coalesce(sum(bytes) FILTER (WHERE ${isKept}), 0) AS bytes
      ${ofKind} GROUP BY scope ORDER BY scope`,
    isLarge: `SELECT FROM ${schema}.replay WHERE id = $1 AND bytes > $2 AND ${EVICTABLE}`,
    select: {
      count: `SELECT id, bytes ${ofKind} AND scope = $3 AND ${EVICTABLE}`,
      bytes: `SELECT id, bytes ${ofKind} AND scope = $3 AND ${isKept}`,
    },
    remove: `DELETE FROM ${schema}.replay WHERE id = $1`,
    drop: `UPDATE ${schema}.replay SET outcome = $2, bytes = ${ENTRY_BYTES} WHERE id = $1`,
  };
}

function sumOf(shares: readonly Share[], by: 'pinned' | 'count' | 'bytes'): number {
  return shares.reduce((sum, share) => sum + share[by], 0);
}
