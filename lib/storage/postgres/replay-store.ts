import type { Clock } from '../../platform/clock.ts';
import {
  type Claimed,
  type JoinableEntry,
  lostOutcome,
  type ReplayClaim,
  type ReplayKind,
  type ReplayPolicies,
  type ReplayStore,
  refuseDifferent,
  type StoredOutcome,
  selectEarlier,
} from '../../replay/replay-store-port.ts';
import type { Postgres, Queries } from './connection.ts';
import { createRepeatedWrites } from './repeated-writes.ts';
import { createReplaySpace, ENTRY_BYTES } from './replay-space.ts';
import { NOW_MS, type ReplicaLease } from './replica-lease.ts';
import { decodeOutcome, encodeOutcome } from './stored-outcome.ts';
import { type WakeUps, waitUntilFound } from './waiting.ts';

interface Deps {
  readonly postgres: Postgres;
  readonly lease: Pick<ReplicaLease, 'judge'>;
  readonly policies: ReplayPolicies;
  readonly clock: Clock;
  readonly wakeUps: WakeUps;
  readonly pollMs: number;
}

interface Row extends JoinableEntry {
  readonly id: string;
  readonly kind: ReplayKind;
  readonly owner: string;
  readonly fingerprint: string;
  /** The number of attached clients of other replicas than the owner. */
  readonly guests: number;
}

/** An entry as a claim finds it. */
interface Known extends Omit<Row, 'kind' | 'guests'> {
  /** True if the outcome is in the row. */
  readonly isStored: boolean;
  /** True if the lease of the owner has ended. */
  readonly isLate: boolean;
  /** True if the owner is gone: a replica that may judge others has removed the owner. */
  readonly isGone: boolean;
}

/** An entry as the end of its work finds the entry. */
interface Ending extends Pick<Row, 'kind' | 'clients' | 'guests' | 'state'> {
  /** True if the work has ended, and its outcome is only in the memory of the owner. */
  readonly isHeld: boolean;
}

// A larger outcome is not kept, because the driver holds it several times in memory.
const MAX_OUTCOME_BYTES = 64 * 1024 * 1024;
// An entry expires at the latest after this time if a replica ended while its client was attached. Longer than any request.
const MAX_ATTACHED_MS = 3_600_000;
const TIDY_EVERY_MS = 10_000;
const MAX_TIDIED = 500;

/**
 * Creates the store for all replicas. The outcome of a request with a key is always stored. The outcome of a request that counts
 * its retries is stored only if a client of another replica waits for the outcome, or if no client has received it. Otherwise the
 * outcome stays in the memory of its replica, because a large write for each request would take too long. A retry at another
 * replica then starts new work.
 */
export function createReplayStore(deps: Deps): ReplayStore {
  const { postgres, clock } = deps;
  const { write, writeOrUndo } = postgres;
  const entries = createEntries(deps);
  const claim = createClaims(deps, entries);
  const { finish, release } = createEnds(deps, entries);
  const { statements, wake, held } = entries;
  const repeatUntilDone = createRepeatedWrites(clock);

  async function forget(id: string): Promise<void> {
    await write(async (queries) => {
      await queries.rows(statements.remove, [id]);
      await wake(queries, id);
    });
    held.delete(id);
  }

  /** Undoes a claim whose caller was rejected. Nobody else would end the entry or detach the client. */
  async function undoClaim(request: ReplayClaim, claimed: Claimed): Promise<void> {
    if (claimed.state === 'started') await forget(request.id);
    else if (deps.policies[request.kind].countsClients) {
      await repeatUntilDone(release(claimed.id, false));
    }
  }

  return {
    async claim(request) {
      await entries.tidy().catch(() => {});
      return writeOrUndo(
        (queries) => claim(queries, request),
        (claimed) => undoClaim(request, claimed),
      );
    },

    markStarted: (id) =>
      write(async (queries) => {
        await queries.rows(statements.markStarted, [id]);
        await wake(queries, id);
      }),

    finish: (id, outcome, bytes) => repeatUntilDone(() => finish(id, outcome, bytes)),

    owe: (id) =>
      repeatUntilDone(() =>
        write(async (queries) => {
          await queries.rows(statements.owe, [id, deps.policies.retry.keepMs, MAX_ATTACHED_MS]);
          await wake(queries, id);
        }),
      ),

    release: (id, isReplied) => repeatUntilDone(release(id, isReplied)),

    abandon: (id) =>
      write(async ({ rows }) => {
        await rows(statements.abandon, [id, deps.policies.retry.keepMs]);
        return (await rows(statements.isPresent, [id])).length === 0;
      }),

    forget: (id) => repeatUntilDone(() => forget(id)),

    ...createWaits(deps, entries),
  };
}

type Entries = ReturnType<typeof createEntries>;

/** Creates the access to the entries that claims, ends and waits share. */
function createEntries({ postgres, lease, policies, clock, wakeUps }: Deps) {
  const { write } = postgres;
  const statements = toStatements(postgres.schema);
  let tidiedMs = Number.NEGATIVE_INFINITY;

  /** Ends the running entries of replicas that are gone with an unknown outcome. */
  async function settleGone({ rows }: Queries): Promise<void> {
    const [late] = await rows(statements.findLate);
    if (!late || !(await lease.judge({ rows }))) return;
    const { key, retry } = policies;
    await rows(statements.removeHeldByGone);
    await rows(statements.settleGone, [encodeOutcome(lostOutcome()), key.keepMs, retry.keepMs]);
  }

  return {
    statements,
    settleGone,
    /** The outcomes that are not in the database, by the id of their entry. */
    held: new Map<string, StoredOutcome>(),
    space: createReplaySpace(postgres, policies),

    /** Wakes all replicas that wait for the entry. */
    wake: (queries: Queries, id: string): Promise<void> => wakeUps.send(queries, toTopic(id)),

    async findOutcome({ rows }: Queries, id: string): Promise<StoredOutcome | undefined> {
      const [found] = await rows<{ outcome: Buffer | null }>(statements.findOutcome, [id]);
      return found?.outcome ? decodeOutcome(found.outcome) : undefined;
    },

    /** Removes expired entries, from time to time. */
    async tidy(): Promise<void> {
      const nowMs = clock.monotonicMs();
      if (nowMs < tidiedMs + TIDY_EVERY_MS) return;
      tidiedMs = nowMs;
      await write(async (queries) => {
        await settleGone(queries);
        await queries.rows(statements.removeExpired, [MAX_TIDIED]);
      });
    },
  };
}

function toTopic(id: string): string {
  return `replay ${id}`;
}

/** Creates the function that answers a claim in a transaction. */
function createClaims({ postgres: { owner }, policies }: Deps, entries: Entries) {
  const { statements, held, space, settleGone, findOutcome, wake } = entries;

  /** Returns false if this replica can never read the outcome of the entry. */
  function isJoinable({ id, owner: holder, state, isStored, isReplied, isGone }: Known): boolean {
    if (state !== 'finished' || isStored) return true;
    return holder === owner ? held.has(id) : !isGone && !isReplied;
  }

  async function findKnown(queries: Queries, identity: string): Promise<readonly Known[]> {
    const find = () => queries.rows<Known>(statements.find, [identity]);
    const known = await find();
    if (known.every(({ isLate, state, isStored }) => !isLate || isStored || state === 'owed')) {
      return known;
    }
    await settleGone(queries);
    return find();
  }

  async function join(queries: Queries, entry: Known, kind: ReplayKind): Promise<Claimed> {
    const { id } = entry;
    if (policies[kind].countsClients) {
      const guests = entry.owner === owner ? 0 : 1;
      await queries.rows(statements.attach, [id, guests, MAX_ATTACHED_MS]);
      if (guests > 0) await wake(queries, id);
    }
    const outcome = entry.isStored ? await findOutcome(queries, id) : held.get(id);
    return entry.state === 'finished' && outcome
      ? { state: 'finished', id, outcome }
      : { state: 'running', id };
  }

  return async function claim(queries: Queries, request: ReplayClaim): Promise<Claimed> {
    const { rows } = queries;
    const { id, kind, scope, identity, fingerprint, mayJoin } = request;
    const { countsClients } = policies[kind];
    await rows(statements.lockIdentity, [identity]);
    const known = await findKnown(queries, identity);
    for (const entry of known) refuseDifferent(entry, request);
    const earlier = mayJoin ? selectEarlier(known.filter(isJoinable)) : undefined;
    if (earlier && earlier.state !== 'owed') return join(queries, earlier, kind);
    if (earlier) await rows(statements.remove, [earlier.id]);
    await space.makeRoom(queries, kind, scope);
    const clients = countsClients ? 1 : 0;
    const entry = [id, kind, scope, identity, fingerprint, owner, clients, !countsClients];
    await rows(statements.add, [...entry, ENTRY_BYTES]);
    return { state: 'started' };
  };
}

/** Creates the functions that store an outcome, or keep it in memory until its last client is detached. */
function createEnds({ postgres, policies, clock }: Deps, entries: Entries) {
  const { owner, read, write, attempt } = postgres;
  const { statements, held, space, wake } = entries;

  /** Stores the outcome of a finished entry. An outcome that is too large is dropped. */
  async function store(queries: Queries, id: string, outcome: StoredOutcome): Promise<void> {
    const stored = encodeOutcome(outcome);
    if (stored.length > MAX_OUTCOME_BYTES) await space.drop(queries, id);
    else await queries.rows(statements.store, [id, stored]);
  }

  /** Removes an outcome from memory after its entry has expired. */
  async function forgetHeld(id: string): Promise<void> {
    const found = await read(({ rows }) => rows(statements.isPresent, [id])).catch(() => [id]);
    if (found.length === 0) held.delete(id);
    else if (held.has(id)) forgetHeldLater(id);
  }

  function forgetHeldLater(id: string): void {
    clock.after(policies.retry.keepMs, () => void forgetHeld(id));
  }

  return {
    async finish(id: string, outcome: StoredOutcome, bytes: number): Promise<void> {
      // A request that finds the end of the work must also find the outcome, even before COMMIT is answered, or if the outcome of
      // COMMIT stays unknown. Otherwise the request would start the work again.
      held.set(id, outcome);
      const isHeld = await write(async (queries) => {
        const [entry] = await queries.rows<Ending>(statements.lockEnding, [id]);
        // A repeated write finds the end that the first write has committed.
        if (entry?.state !== 'running') return entry?.isHeld ?? false;
        const { kind, clients, guests } = entry;
        const keepMs = clients > 0 ? MAX_ATTACHED_MS : policies[kind].keepMs;
        await queries.rows(statements.finish, [id, outcome.ok, ENTRY_BYTES + bytes, keepMs]);
        const mayHold = kind === 'retry' && outcome.ok && clients > 0 && guests === 0;
        if (!mayHold) await store(queries, id, outcome);
        await space.evict(queries, kind, id);
        await wake(queries, id);
        return mayHold;
      });
      if (!isHeld) held.delete(id);
    },

    /** Returns the write that detaches a client once, however often the write is repeated. */
    release(id: string, isReplied: boolean): () => Promise<void> {
      const { keepMs } = policies.retry;
      const outcome = held.get(id);
      const detaching = attempt(async (queries) => {
        const [entry] = await queries.rows<Pick<Row, 'clients' | 'guests' | 'isReplied' | 'state'>>(
          statements.detach,
          [id, owner, isReplied, keepMs],
        );
        if (!entry) return false;
        // The end of the work is not committed yet. Its transaction decides about the outcome.
        if (entry.state === 'running') return true;
        const hasReplied = entry.clients === 0 && entry.isReplied;
        const isWanted = entry.guests > 0 || (entry.clients === 0 && !entry.isReplied);
        if (outcome && isWanted) {
          await store(queries, id, outcome);
          await wake(queries, id);
        }
        if (hasReplied) await space.evict(queries, 'retry', id);
        return !isWanted;
      });
      return async () => {
        const isStillHeld = await detaching.run();
        if (!outcome) return;
        if (isStillHeld) forgetHeldLater(id);
        else held.delete(id);
      };
    },
  };
}

/** Creates the waits for changes that other replicas make. */
function createWaits(
  { postgres, clock, wakeUps, pollMs }: Deps,
  entries: Entries,
): Pick<ReplayStore, 'untilStarted' | 'untilSettled' | 'untilAttached'> {
  const { read, write } = postgres;
  const { statements, held, settleGone, findOutcome } = entries;
  const waiting = { clock, wakeUps, pollMs };

  async function lookForEnd(id: string) {
    const [entry] = await read(({ rows }) =>
      rows<Pick<Known, 'state' | 'isStored' | 'isLate'>>(statements.look, [id]),
    );
    if (!entry || entry.state === 'owed') return { outcome: undefined };
    if (entry.isStored) {
      const outcome = await read((queries) => findOutcome(queries, id));
      return outcome && { outcome };
    }
    if (entry.state === 'finished' && held.has(id)) return { outcome: held.get(id) };
    if (entry.isLate) await write(settleGone);
    return undefined;
  }

  async function lookForStart(id: string) {
    const found = await read(({ rows }) => rows(statements.hasStarted, [id]));
    if (found.length > 0) return { isStarted: true };
    return (await lookForEnd(id)) && { isStarted: false };
  }

  async function lookForGuests(id: string): Promise<true | undefined> {
    const found = await read(({ rows }) => rows(statements.hasGuests, [id]));
    return found.length > 0 || undefined;
  }

  return {
    async untilStarted(id, signal) {
      const look = () => lookForStart(id);
      return (await waitUntilFound(waiting, toTopic(id), look, signal)).isStarted;
    },

    async untilSettled(id, signal) {
      const look = () => lookForEnd(id);
      return (await waitUntilFound(waiting, toTopic(id), look, signal)).outcome;
    },

    async untilAttached(id, signal) {
      await waitUntilFound(waiting, toTopic(id), () => lookForGuests(id), signal);
    },
  };
}

function toStatements(schema: string) {
  const replay = `${schema}.replay`;
  const isGone = `NOT EXISTS (SELECT FROM ${schema}.replica WHERE replica.id = replay.owner)`;
  const isLate = `NOT EXISTS (
    SELECT FROM ${schema}.replica WHERE replica.id = replay.owner AND lease_until > ${NOW_MS})`;
  const facts = `
    state, outcome IS NOT NULL AS "isStored", ${isLate} AS "isLate", ${isGone} AS "isGone"`;
  return {
    lockIdentity: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 1))',
    find: `
      SELECT id, owner, fingerprint, clients, is_replied AS "isReplied", ${facts} FROM ${replay}
      WHERE identity = $1 AND (until IS NULL OR until > ${NOW_MS}) ORDER BY seq`,
    look: `SELECT ${facts} FROM ${replay} WHERE id = $1`,
    isPresent: `SELECT FROM ${replay} WHERE id = $1`,
    hasStarted: `SELECT FROM ${replay} WHERE id = $1 AND started`,
    hasGuests: `SELECT FROM ${replay} WHERE id = $1 AND guests > 0`,
    findOutcome: `SELECT outcome FROM ${replay} WHERE id = $1`,
    add: `
      INSERT INTO ${replay}
        (id, kind, scope, identity, fingerprint, owner, clients, is_replied, bytes)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    markStarted: `UPDATE ${replay} SET started = true WHERE id = $1`,
    attach: `
      UPDATE ${replay} SET clients = clients + 1, guests = guests + $2,
        until = CASE WHEN state <> 'running' THEN ${NOW_MS} + $3::bigint END
      WHERE id = $1`,
    detach: `
      UPDATE ${replay} SET
        clients = greatest(clients - 1, 0),
        guests = greatest(guests - (owner <> $2)::integer, 0),
        guest_left = CASE WHEN owner <> $2 THEN ${NOW_MS} ELSE guest_left END,
        is_replied = is_replied OR $3,
        until = CASE WHEN state = 'running' THEN NULL
          WHEN clients <= 1 THEN ${NOW_MS} + $4::bigint ELSE until END
      WHERE id = $1
      RETURNING clients, guests, state, is_replied AS "isReplied"`,
    lockEnding: `
      SELECT kind, clients, guests, state, state = 'finished' AND outcome IS NULL AS "isHeld"
      FROM ${replay} WHERE id = $1 FOR UPDATE`,
    finish: `
      UPDATE ${replay} SET state = 'finished', is_success = $2, bytes = $3,
        until = ${NOW_MS} + $4::bigint
      WHERE id = $1`,
    store: `UPDATE ${replay} SET outcome = $2 WHERE id = $1`,
    owe: `
      UPDATE ${replay} SET state = 'owed',
        until = ${NOW_MS} + CASE WHEN clients = 0 THEN $2::bigint ELSE $3::bigint END
      WHERE id = $1 AND state = 'running'`,
    abandon: `
      DELETE FROM ${replay}
      WHERE id = $1 AND clients = 0 AND (guest_left IS NULL OR guest_left <= ${NOW_MS} - $2::bigint)`,
    remove: `DELETE FROM ${replay} WHERE id = $1`,
    removeExpired: `
      DELETE FROM ${replay} WHERE id IN (
        SELECT id FROM ${replay} WHERE until <= ${NOW_MS} LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    findLate: `
      SELECT FROM ${replay} WHERE state <> 'owed' AND outcome IS NULL AND ${isLate} LIMIT 1`,
    removeHeldByGone: `
      DELETE FROM ${replay}
      WHERE state = 'finished' AND outcome IS NULL AND is_replied AND ${isGone}`,
    settleGone: `
      UPDATE ${replay} SET state = 'finished', is_success = false, outcome = $1,
        until = ${NOW_MS} + CASE kind WHEN 'key' THEN $2::bigint ELSE $3::bigint END
      WHERE state <> 'owed' AND outcome IS NULL AND ${isGone}`,
  };
}
