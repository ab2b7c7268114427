import type { Permits, Release } from '../../admission/permits-port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { createSemaphore, type Semaphore } from '../../platform/semaphore.ts';
import type { Postgres } from './connection.ts';
import { createGroupCommit } from './group-commit.ts';
import { createRepeatedWrites, createUndo } from './repeated-writes.ts';
import { NOW_MS, type ReplicaLease } from './replica-lease.ts';
import { rowArrays } from './row-arrays.ts';
import { type WakeUps, waitUntilFound } from './waiting.ts';

interface Deps {
  readonly postgres: Postgres;
  readonly lease: Pick<ReplicaLease, 'judge'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly wakeUps: WakeUps;
  readonly pollMs: number;
}

/** The requests of this replica for the slots of one gate. */
interface Gate {
  /** The waiting requests. Only the first request looks for slots: for itself, and for the requests behind it. */
  readonly line: Semaphore;
  /** The permits of the requests behind the first request. */
  readonly spare: Release[];
  /** Takes as many of the wanted slots as are free. Simultaneous calls share one statement. */
  look(wanted: Wanted): Promise<readonly Release[]>;
}

/** Returns the number of wanted slots. Called when the statement begins, because more requests may arrive before. */
type Wanted = () => number;

// A permit is held for seconds, so a waiting request that receives no notice of a release looks often.
const MAX_POLL_MS = 250;

// More requests or releases arrive together only after an outage.
const LARGEST_GROUP = 64;

/**
 * Creates the permits of all replicas. A permit is a row, which is free again when it is released or when the lease of its owner
 * ends. Waiting requests of all replicas compete for a released permit, so that a busy replica keeps no other replica waiting. The
 * waiting requests of one replica for a gate take up to half of all permits in one statement, because an unsuccessful attempt costs
 * the database as much as a successful attempt.
 */
export function createPermits(deps: Deps): Permits {
  const { clock, ids, wakeUps, pollMs } = deps;
  const takeSlots = createTaking(deps);
  const release = createReleases(deps);
  const undo = createUndo(clock);
  const repeatUntilDone = createRepeatedWrites(clock);
  const waiting = { clock, wakeUps, pollMs: Math.min(pollMs, MAX_POLL_MS) };
  const use = createGates(createGate);

  function createGate(gate: string, limit: number): Gate {
    async function takeGroup(group: readonly Wanted[]): Promise<readonly Release[][]> {
      const counts = group.map((wanted) => wanted());
      const count = counts.reduce((sum, one) => sum + one, 0);
      const holders = Array.from({ length: Math.min(count, limit) }, ids.newOpaqueId);
      const taken = await takeSlots(gate, limit, holders).catch((thrown) => {
        // The permits may have been taken although the answer was lost.
        void undo(() => release({ gate, holders }));
        throw thrown;
      });
      const permits = taken.map((holder) => toPermit(gate, holder));
      return counts.map((one) => permits.splice(0, one));
    }

    return {
      line: createSemaphore(1),
      spare: [],
      look: createGroupCommit(takeGroup, LARGEST_GROUP),
    };
  }

  function toPermit(gate: string, holder: string): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      void repeatUntilDone(() => release({ gate, holders: [holder] }));
    };
  }

  return {
    take: (gate, limit) =>
      use(gate, limit, async ({ look }) => {
        const [permit] = await look(() => 1);
        return permit;
      }),
    acquire: (gate, limit, signal) =>
      use(gate, limit, async ({ line, spare, look }) => {
        const leave = await line.acquire(signal);
        // Half of the slots that are freed together are left for the waiting requests of other replicas.
        const count = () => Math.min(remaining(line), Math.ceil(limit / 2));
        const find = async () => {
          if (spare.length === 0) spare.push(...(await look(count)));
          return spare.shift();
        };
        return waitUntilFound(waiting, topicOf(gate), find, signal).finally(() => {
          leave();
          // Requests may have left the line after their permits were taken.
          for (const permit of spare.splice(remaining(line))) permit();
        });
      }),
  };
}

const topicOf = (gate: string) => `permit ${gate}`;

/** Returns the number of requests in the line, including the first request. */
function remaining(line: Semaphore): number {
  const { active, waiting } = line.counts();
  return active + waiting;
}

/**
 * Creates the function that runs `work` with a gate. A gate without requests must not stay in memory, because clients choose the
 * gates of webhooks.
 */
function createGates(create: (gate: string, limit: number) => Gate) {
  const gates = new Map<string, { readonly gate: Gate; works: number }>();

  return async <T>(name: string, limit: number, work: (gate: Gate) => Promise<T>): Promise<T> => {
    const key = `${limit} ${name}`;
    const used = gates.get(key) ?? { gate: create(name, limit), works: 0 };
    gates.set(key, used);
    used.works += 1;
    try {
      return await work(used.gate);
    } finally {
      used.works -= 1;
      if (used.works === 0) gates.delete(key);
    }
  };
}

/** Creates the function that takes one slot for each holder, and resolves with the holders for which a slot was free. */
function createTaking({ postgres, lease }: Deps) {
  const { schema, owner, apply, write } = postgres;
  const statements = toTakeStatements(schema);

  return async (
    gate: string,
    limit: number,
    holders: readonly string[],
  ): Promise<readonly string[]> => {
    const values = [gate, limit, owner, holders];
    for (;;) {
      const [look] = await apply<Look>(statements.take, values);
      if (!look) return [];
      const { taken, mayAdd, isLate } = look;
      // If another replica has added a slot meanwhile, further slots may be added.
      if (mayAdd) continue;
      if (!isLate) return taken;
      return write(async (queries) => {
        if (!(await lease.judge(queries))) return taken;
        const gone = await queries.rows<{ readonly holder: string }>(statements.takeGone, values);
        return [...taken, ...gone.map(({ holder }) => holder)];
      });
    }
  };
}

interface Look {
  /** The holders that have a slot. */
  readonly taken: readonly string[];
  /** True if a slot was not added although there are fewer slots than the limit. */
  readonly mayAdd: boolean;
  /** True if a holder has no slot, and the lease of the owner of another slot has ended. */
  readonly isLate: boolean;
}

function toTakeStatements(schema: string) {
  const permit = `${schema}.permit`;
  const isGone = `owner IS NOT NULL AND NOT EXISTS (
    SELECT FROM ${schema}.replica WHERE replica.id = permit.owner)`;
  const isLate = `owner IS NOT NULL AND NOT EXISTS (
    SELECT FROM ${schema}.replica WHERE replica.id = permit.owner AND lease_until > ${NOW_MS})`;
  // If the statement is repeated because its answer was lost, its holders have slots already. If the first run has not ended yet, a
  // holder may have two slots, which are released together.
  const takeWhere = (condition: string) => `
    held AS (
      SELECT holder FROM ${permit} WHERE holder = ANY ($4::text[])
    ), wanted AS (
      SELECT holder, row_number() OVER () AS nth FROM unnest($4::text[]) AS one (holder)
      WHERE holder NOT IN (SELECT holder FROM held)
    ), free AS (
      SELECT slot FROM ${permit} WHERE gate = $1 AND slot < $2 AND ${condition}
      ORDER BY slot LIMIT (SELECT count(*) FROM wanted) FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE ${permit} SET owner = $3, holder = wanted.holder
      FROM (SELECT slot, row_number() OVER () AS nth FROM free) AS free JOIN wanted USING (nth)
      WHERE permit.gate = $1 AND permit.slot = free.slot
      RETURNING permit.holder
    )`;
  return {
    // Slots are added in their order, so that two replicas that add the same slots do not wait for each other.
    take: `
      WITH ${takeWhere('owner IS NULL')}, last AS (
        SELECT coalesce(max(slot), -1) AS slot FROM ${permit} WHERE gate = $1
      ), new AS (
        SELECT last.slot + row_number() OVER () AS slot, holder FROM wanted, last
        WHERE nth > (SELECT count(*) FROM free)
      ), added AS (
        INSERT INTO ${permit} (gate, slot, owner, holder)
        SELECT $1, slot, $3, holder FROM new WHERE slot < $2 ORDER BY slot
        ON CONFLICT DO NOTHING RETURNING holder
      ), result AS (
        SELECT holder FROM held UNION SELECT holder FROM taken UNION SELECT holder FROM added
      )
      SELECT
        ARRAY(SELECT holder FROM result) AS taken,
        (SELECT count(*) FROM new WHERE slot < $2) > (SELECT count(*) FROM added) AS "mayAdd",
        (SELECT count(*) FROM result) < cardinality($4::text[]) AND EXISTS (
          SELECT FROM ${permit} WHERE gate = $1 AND slot < $2 AND ${isLate}) AS "isLate"`,
    takeGone: `WITH ${takeWhere(isGone)} SELECT holder FROM taken`,
  };
}

/** Permits of one gate. */
interface Held {
  readonly gate: string;
  readonly holders: readonly string[];
}

/** Creates the function that releases permits. Simultaneous releases share one statement, which notifies each gate once. */
function createReleases({ postgres, wakeUps }: Deps) {
  const { schema, owner, apply } = postgres;
  const notifications = rowArrays({ channel: 'text', payload: 'text' }, 3);
  const release = `
    WITH freed AS (
      UPDATE ${schema}.permit SET owner = NULL, holder = NULL WHERE owner = $1 AND holder = ANY ($2)
    )
    SELECT pg_notify(channel, payload) FROM ${notifications.sql} AS notification`;

  async function releaseGroup(group: readonly Held[]): Promise<readonly undefined[]> {
    const holders = group.flatMap((permits) => permits.holders);
    const gates = [...new Set(group.map(({ gate }) => gate))];
    const rows = gates.map((gate) => {
      const [channel, payload] = wakeUps.argumentsOf(topicOf(gate));
      return { channel, payload };
    });
    await apply(release, [owner, holders, ...notifications.values(rows)]);
    return group.map(() => undefined);
  }

  return createGroupCommit(releaseGroup, LARGEST_GROUP);
}
