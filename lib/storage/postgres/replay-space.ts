import { checkRoom } from '../../platform/fair-share.ts';
import {
  entriesExhausted,
  type ReplayKind,
  type ReplayPolicies,
} from '../../replay/replay-store-port.ts';
import type { Postgres, Queries } from './connection.ts';
import { NOW_MS } from './replica-lease.ts';

/** The estimated size of an entry without its outcome. */
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
  const ofKind = `
    FROM ${schema}.replay
    WHERE kind = $1 AND (kind = 'key' OR owner = $2) AND (until IS NULL OR until > ${NOW_MS})`;
  const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('${schema}', 2))`;
  const COUNT = `SELECT count(*) AS count ${ofKind}`;
  const SHARES = `
    SELECT scope, count(*) FILTER (WHERE NOT (${EVICTABLE})) AS pinned,
      count(*) FILTER (WHERE ${EVICTABLE}) AS count,
      coalesce(sum(bytes) FILTER (WHERE ${EVICTABLE}), 0) AS bytes
    ${ofKind} GROUP BY scope ORDER BY scope`;
  const REMOVE_LARGE = `
    DELETE FROM ${schema}.replay WHERE id = $1 AND bytes > $2 AND ${EVICTABLE}`;
  const EVICT = {
    oldest: toEviction('until, seq'),
    largest: toEviction('bytes DESC, until, seq'),
  };

  function toEviction(order: string): string {
    return `
      DELETE FROM ${schema}.replay WHERE id = (
        SELECT id ${ofKind} AND scope = $3 AND ${EVICTABLE} ORDER BY ${order} LIMIT 1)
      RETURNING bytes`;
  }

  function readShares({ rows }: Queries, kind: ReplayKind): Promise<readonly Share[]> {
    return rows<Share>(SHARES, [kind, owner]);
  }

  /** Evicts successes while the sum of `by` exceeds `max`, each from the scope that holds the most. */
  async function evictAbove(
    { rows }: Queries,
    kind: ReplayKind,
    shares: readonly Share[],
    by: 'count' | 'bytes',
    max: number,
  ): Promise<void> {
    for (let sum = sumOf(shares, by); sum > max; sum = sumOf(shares, by)) {
      const [most] = shares.filter(({ count }) => count > 0).sort((a, b) => b[by] - a[by]);
      if (!most) return;
      const eviction = EVICT[policies[kind].evicts];
      const [evicted] = await rows<{ bytes: number }>(eviction, [kind, owner, most.scope]);
      most.count -= 1;
      most.bytes -= evicted?.bytes ?? 0;
    }
  }

  return {
    /** Evicts a success if a further entry of the scope needs its place. Throws `overloaded` if no entry is free. */
    async makeRoom(queries: Queries, kind: ReplayKind, scope: string): Promise<void> {
      const { maxEntries: limit } = policies[kind];
      if (limit === Number.POSITIVE_INFINITY) return;
      const [total] = await queries.rows<{ count: number }>(COUNT, [kind, owner]);
      if (total && total.count < limit - Math.max(MAX_UNCOUNTED, Math.ceil(limit / 10))) return;
      // Claims near the limit wait for each other, because a count does not include entries that are not committed.
      await queries.rows(LOCK);
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
      const { maxBytes } = policies[kind];
      await queries.rows(REMOVE_LARGE, [changedId, maxBytes]);
      await evictAbove(queries, kind, await readShares(queries, kind), 'bytes', maxBytes);
    },
  };
}

function sumOf(shares: readonly Share[], by: 'pinned' | 'count' | 'bytes'): number {
  return shares.reduce((sum, share) => sum + share[by], 0);
}
