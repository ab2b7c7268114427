import { abortable } from '../../platform/abortable.ts';
import type { Clock } from '../../platform/clock.ts';
import { checkRoom } from '../../platform/fair-share.ts';
import {
  type Claimed,
  droppedOutcome,
  entriesExhausted,
  type JoinableEntry,
  type ReplayClaim,
  type ReplayPolicies,
  type ReplayPolicy,
  type ReplayStore,
  refuseDifferent,
  type StoredOutcome,
  selectEarlier,
} from '../../replay/replay-store-port.ts';

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  readonly policies: ReplayPolicies;
}

interface Entry extends Omit<ReplayClaim, 'mayJoin'>, Writable<JoinableEntry> {
  outcome: StoredOutcome | undefined;
  bytes: number;
  /**
   * The counter of the space that includes the entry. Undefined if no counter includes the entry. `dropped`: the success of the entry
   * is no longer kept.
   */
  place: 'pinned' | 'evictable' | 'dropped' | undefined;
  stopExpiry: () => void;
  /** Resolves with true when the work has started, or with false if the work has ended before. */
  readonly started: PromiseWithResolvers<boolean>;
  /** Resolves when the entry is no longer running. */
  readonly settled: PromiseWithResolvers<void>;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

// The estimated memory for an entry without its outcome: for its hashes and for its rows in the tables.
const ENTRY_BYTES = 512;

/**
 * Creates a store in the memory of one process. All entries are lost on a restart. When space is needed, a success is evicted
 * from the scope that holds the most. A success that is larger than the whole space is not stored.
 */
export function createMemoryReplayStore(deps: Deps) {
  const entries = createEntries(deps);

  function claimNow(claim: ReplayClaim): Claimed {
    const known = entries.ofIdentity(claim.identity);
    for (const entry of known) refuseDifferent(entry, claim);
    const earlier = claim.mayJoin ? selectEarlier(known) : undefined;
    if (earlier && earlier.state !== 'owed') return join(earlier);
    if (earlier) entries.remove(earlier);
    entries.add(claim);
    return { state: 'started' };
  }

  function join(entry: Entry): Claimed {
    const { id, outcome } = entry;
    if (deps.policies[entry.kind].countsClients) {
      entry.clients += 1;
      entries.update(entry);
    }
    return outcome ? { state: 'finished', id, outcome } : { state: 'running', id };
  }

  function settle(id: string, to: Partial<Entry>): void {
    const entry = entries.find(id);
    if (!entry) return;
    entries.update(Object.assign(entry, to));
    end(entry);
  }

  return {
    claim: async (request) => claimNow(request),
    async markStarted(id) {
      entries.find(id)?.started.resolve(true);
    },
    async finish(id, outcome, bytes) {
      settle(id, { state: 'finished', outcome, bytes: ENTRY_BYTES + bytes });
    },
    async owe(id) {
      settle(id, { state: 'owed' });
    },
    async release(id, isReplied) {
      const entry = entries.find(id);
      if (!entry) return;
      entry.clients -= 1;
      entry.isReplied ||= isReplied;
      entries.update(entry);
    },
    async abandon(id) {
      const entry = entries.find(id);
      if (entry?.clients === 0) entries.remove(entry);
      return entries.find(id) === undefined;
    },
    async forget(id) {
      const entry = entries.find(id);
      if (entry) entries.remove(entry);
    },
    async untilStarted(id, signal) {
      const entry = entries.find(id);
      return entry ? abortable(entry.started.promise, signal) : false;
    },
    async untilSettled(id, signal) {
      const entry = entries.find(id);
      if (entry) await abortable(entry.settled.promise, signal);
      return entry?.outcome;
    },
    // No other process has access to the entries.
    untilAttached: (_id, signal) => abortable(new Promise(() => {}), signal),
    size: entries.size,
  } satisfies ReplayStore & { size(): object };
}

/** Ends the waits for the start and the end of the work. */
function end({ started, settled }: Entry): void {
  started.resolve(false);
  settled.resolve();
}

/**
 * Creates the table of entries. An entry expires `keepMs` after its last use. A success may be evicted earlier if space is needed.
 */
function createEntries({ clock, policies }: Deps) {
  const entries = new Map<string, Entry>();
  const byIdentity = new Map<string, Set<Entry>>();
  const spaces = { key: createSpace(policies.key), retry: createSpace(policies.retry) };

  function remove(entry: Entry): void {
    entry.stopExpiry();
    end(entry);
    entries.delete(entry.id);
    const equal = byIdentity.get(entry.identity);
    equal?.delete(entry);
    if (equal?.size === 0) byIdentity.delete(entry.identity);
    spaces[entry.kind].place(entry, undefined);
  }

  /**
   * Updates the expiry of the entry and the counter that includes it. Must be called after each change to the state or the
   * clients of the entry.
   */
  function update(entry: Entry): void {
    const { keepMs, maxBytes } = policies[entry.kind];
    const space = spaces[entry.kind];
    const isInUse = entry.state === 'running' || entry.clients > 0;
    const isEvictable = !isInUse && entry.isReplied && entry.outcome?.ok === true;
    entry.stopExpiry();
    if (!isInUse) entry.stopExpiry = clock.after(keepMs, () => remove(entry));
    if (entry.place !== 'dropped') space.place(entry, isEvictable ? 'evictable' : 'pinned');
    if (isEvictable && entry.bytes > maxBytes) drop(entry);
    space.evictWhile(() => space.evictableBytes() > maxBytes, 'bytes', drop);
  }

  /** Drops the success of an entry, because its space is needed. */
  function drop(entry: Entry): void {
    if (policies[entry.kind].remembersDropped) {
      entry.outcome = droppedOutcome();
      spaces[entry.kind].place(entry, 'dropped');
    } else remove(entry);
  }

  return {
    remove,
    update,
    find: (id: string): Entry | undefined => entries.get(id),
    ofIdentity: (identity: string): readonly Entry[] => [...(byIdentity.get(identity) ?? [])],

    /** Adds the entry of a request that starts its work. Throws `overloaded` if no entry is free. */
    add({ mayJoin: _, ...claim }: ReplayClaim): void {
      const { countsClients, maxEntries } = policies[claim.kind];
      const space = spaces[claim.kind];
      if (!space.hasRoomFor(claim.scope)) throw entriesExhausted();
      space.evictWhile(() => space.count() >= maxEntries, 'count', remove);
      const entry: Entry = {
        ...claim,
        state: 'running',
        outcome: undefined,
        bytes: ENTRY_BYTES,
        clients: countsClients ? 1 : 0,
        isReplied: !countsClients,
        place: undefined,
        stopExpiry: () => {},
        started: Promise.withResolvers(),
        settled: Promise.withResolvers(),
      };
      entries.set(entry.id, entry);
      byIdentity.set(entry.identity, (byIdentity.get(entry.identity) ?? new Set()).add(entry));
      space.place(entry, 'pinned');
    },

    /** Returns the number of running entries, the number of all entries, and the size of the successes that may be evicted. */
    size: () => ({
      running: [...entries.values()].filter(({ state }) => state === 'running').length,
      entries: entries.size,
      evictableBytes: spaces.key.evictableBytes() + spaces.retry.evictableBytes(),
    }),
  };
}

/** The entries of one scope, or of all scopes. */
interface Share {
  /** The number of entries that may not be evicted. */
  pinned: number;
  /** The entries that may be evicted, oldest first. */
  readonly evictable: Set<Entry>;
  evictableBytes: number;
  /** The entries whose success was dropped, in the order in which they were dropped. Evicted when an entry is needed. */
  readonly dropped: Set<Entry>;
}

const newShare = (): Share => ({
  pinned: 0,
  evictable: new Set(),
  evictableBytes: 0,
  dropped: new Set(),
});

const countOf = ({ evictable, dropped }: Share) => evictable.size + dropped.size;

/**
 * Counts the entries of one policy by scope, so that a scope with too many entries evicts its own entries before the entries of
 * other scopes.
 */
function createSpace({ maxEntries, evicts }: ReplayPolicy) {
  const shares = new Map<string, Share>();
  const total = newShare();

  /** Returns the entry to evict from the scope that holds the most, or undefined if no entry may be evicted. */
  function select(by: 'bytes' | 'count'): Entry | undefined {
    const sizeOf = by === 'bytes' ? ({ evictableBytes }: Share) => evictableBytes : countOf;
    const most = largest([...shares.values()], sizeOf);
    const [dropped] = by === 'count' ? (most?.dropped ?? []) : [];
    if (dropped) return dropped;
    const evictable = [...(most?.evictable ?? [])];
    return evicts === 'oldest' ? evictable[0] : largest(evictable, ({ bytes }) => bytes);
  }

  return {
    /** Moves an entry from its current counter to the counter `place`. If `place` is undefined, the entry is not counted. */
    place(entry: Entry, place: Entry['place']): void {
      const own = shares.get(entry.scope) ?? newShare();
      for (const share of [own, total]) {
        if (entry.place === 'pinned') share.pinned -= 1;
        if (share.evictable.delete(entry)) share.evictableBytes -= entry.bytes;
        share.dropped.delete(entry);
        if (place === 'pinned') share.pinned += 1;
        if (place === 'evictable') {
          share.evictable.add(entry);
          share.evictableBytes += entry.bytes;
        }
        if (place === 'dropped') share.dropped.add(entry);
      }
      entry.place = place;
      if (own.pinned + countOf(own) === 0) shares.delete(entry.scope);
      else shares.set(entry.scope, own);
    },

    hasRoomFor: (scope: string): boolean =>
      checkRoom(
        {
          limit: maxEntries,
          used: total.pinned,
          own: shares.get(scope)?.pinned ?? 0,
          isShared: true,
          holders: () => shares.size + (shares.has(scope) ? 0 : 1),
        },
        1,
      ) === 'room',

    /** Evicts successes while `isFull` returns true, each from the scope that holds the most. */
    evictWhile(isFull: () => boolean, by: 'bytes' | 'count', remove: (entry: Entry) => void): void {
      while (isFull()) {
        const entry = select(by);
        if (!entry) return;
        remove(entry);
      }
    },

    count: () => total.pinned + countOf(total),
    evictableBytes: () => total.evictableBytes,
  };
}

/** Returns the first of the items with the largest measure. */
function largest<T>(items: readonly T[], measure: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (max, item) => (max === undefined || measure(item) > measure(max) ? item : max),
    undefined,
  );
}
