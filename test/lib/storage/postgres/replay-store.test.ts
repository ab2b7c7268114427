import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { ByteParts } from '../../../../lib/platform/byte-parts.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { toReplayPolicies } from '../../../../lib/replay/replay-policies.ts';
import {
  type Claimed,
  droppedOutcome,
  type ReplayClaim,
  type ReplayPolicies,
} from '../../../../lib/replay/replay-store-port.ts';
import type { Postgres } from '../../../../lib/storage/postgres/connection.ts';
import { createReplayStore } from '../../../../lib/storage/postgres/replay-store.ts';
import { describeReplayStore } from '../../../contracts/replay-store.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { NO_WAKE_UPS } from '../../../support/no-wake-ups.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openReplicas, type TestReplica } from '../../../support/postgres-replicas.ts';

const LIMITS = { max_entries: 100, max_completed_bytes: 100_000, completed_ttl_secs: 60 };
const POLICIES = toReplayPolicies(LIMITS);
const forever = new AbortController().signal;
const success = { ok: true, value: { bytes: new ByteParts([Buffer.from('an image')]) } } as const;

function openStore({ postgres, lease }: TestReplica, policies: ReplayPolicies) {
  const waiting = { clock: systemClock, wakeUps: NO_WAKE_UPS, pollMs: 20 };
  return createReplayStore({ postgres, lease, policies, ...waiting });
}

type Opened = Awaited<ReturnType<typeof openReplicas>>;

async function openStores({ replicas, reset }: Opened, policies: ReplayPolicies = POLICIES) {
  await reset('replay');
  const [one, two] = replicas;
  const { schema } = one.postgres;
  const run = (sql: string) => one.postgres.write(async ({ rows }) => rows(sql));
  return {
    one,
    two,
    store: openStore(one, policies),
    other: openStore(two, policies),
    driftMs: 9000,
    async advance(ms: number) {
      await run(
        `UPDATE ${schema}.replay SET until = until - ${ms}, guest_left = guest_left - ${ms}`,
      );
    },
    rows: () =>
      one.postgres.read(({ rows }) =>
        rows(
          `SELECT id, state, outcome IS NOT NULL AS "isStored" FROM ${schema}.replay ORDER BY seq`,
        ),
      ),
    close: async () => {},
  };
}

describe.runIf(HAS_POSTGRES)('createReplayStore, PostgreSQL', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openReplicas();
  });
  afterAll(() => opened.close());
  const open = (policies?: ReplayPolicies) => openStores(opened, policies);

  describeReplayStore('PostgreSQL', open);

  describe('the end of work', () => {
    /** Opens a store whose next transaction is reported only after `whileUnreported`, although it was committed. */
    async function openUnreported() {
      const { one, rows } = await open();
      const clock = createManualClock();
      const next: { whileUnreported?: () => Promise<void> } = {};
      const postgres: Postgres = {
        ...one.postgres,
        async write(work) {
          const value = await one.postgres.write(work);
          const { whileUnreported } = next;
          delete next.whileUnreported;
          await whileUnreported?.();
          return value;
        },
      };
      const { lease } = one;
      const waiting = { clock, wakeUps: NO_WAKE_UPS, pollMs: 20 };
      const store = createReplayStore({ postgres, lease, policies: POLICIES, ...waiting });
      const claim = (id: string): ReplayClaim => {
        const base = { id, kind: 'retry', scope: 's', identity: 'r' } as const;
        return { ...base, fingerprint: 'f', mayJoin: true };
      };
      const retry = (id: string) => store.claim(claim(id));
      await retry('one');
      return { store, retry, next, clock, rows };
    }

    it('gives the reply to a retry that comes between COMMIT and its report', async () => {
      const { store, retry, next } = await openUnreported();
      let joined: Claimed | undefined;
      next.whileUnreported = async () => {
        joined = await retry('two');
      };
      await store.finish('one', success, 8);

      expect(joined).toEqual({ state: 'finished', id: 'one', outcome: success });
    });

    it('gives the reply to a retry that comes after a COMMIT of unknown outcome', async () => {
      const { store, retry, next, clock } = await openUnreported();
      next.whileUnreported = () => Promise.reject(new BridgeError('overloaded', 'no reply'));
      await store.finish('one', success, 8);
      const before = await retry('two');
      await clock.advance(1000);

      expect(before).toEqual({ state: 'finished', id: 'one', outcome: success });
      expect(await retry('three')).toEqual(before);
    });

    it('stores a reply that nobody received after a COMMIT of unknown outcome', async () => {
      const { store, next, rows } = await openUnreported();
      next.whileUnreported = () => Promise.reject(new BridgeError('overloaded', 'no reply'));
      await store.finish('one', success, 8);
      await store.release('one', false);

      expect(await rows()).toEqual([{ id: 'one', state: 'finished', isStored: true }]);
    });

    it('stores the reply of a client that leaves before the end is committed', async () => {
      const { store, retry, next, rows } = await openUnreported();
      next.whileUnreported = () => store.release('one', false);
      await store.finish('one', success, 8);

      expect(await rows()).toEqual([{ id: 'one', state: 'finished', isStored: true }]);
      expect(await retry('two')).toMatchObject({ state: 'finished', outcome: success });
    });
  });

  describe('several replicas', () => {
    async function openTwo() {
      let claims = 0;
      const toClaim = (changes: Partial<ReplayClaim> = {}): ReplayClaim => {
        claims += 1;
        const base = { id: `claim ${claims}`, kind: 'retry', scope: 's', identity: 'r' } as const;
        return { ...base, fingerprint: 'f', mayJoin: true, ...changes };
      };
      return { ...(await open()), toClaim };
    }

    it('starts the work of equal requests at two replicas once', async () => {
      const { store, other, toClaim } = await openTwo();
      const claims = await Promise.all(
        [store, other, store, other].map((at) => at.claim(toClaim({ kind: 'key' }))),
      );

      expect(claims.map(({ state }) => state).sort()).toEqual([
        'running',
        'running',
        'running',
        'started',
      ]);
    });

    it('never exceeds the largest number of entries', async () => {
      const { store, other, rows } = await open(toReplayPolicies({ ...LIMITS, max_entries: 5 }));
      const claims = Array.from({ length: 24 }, (_, nth) => {
        const claim = { kind: 'key', scope: 's', fingerprint: 'f', mayJoin: true } as const;
        const at = nth % 2 === 0 ? store : other;
        return at.claim({ ...claim, id: `claim ${nth}`, identity: `key ${nth}` });
      });

      const ended = await Promise.allSettled(claims);

      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect(await rows()).toHaveLength(5);
    });

    it('remembers that a reply was too large to be stored, so that no replica pays for it again', async () => {
      const { store, other } = await open(POLICIES);
      const claim = {
        kind: 'key',
        scope: 's',
        identity: 'k',
        fingerprint: 'f',
        mayJoin: true,
      } as const;
      await store.claim({ ...claim, id: 'one' });
      const settled = other.untilSettled('one', forever);
      await store.finish(
        'one',
        { ok: true, value: new ByteParts([Buffer.alloc(65 * 1024 * 1024)]) },
        8,
      );

      const finished = { state: 'finished', id: 'one', outcome: droppedOutcome() };
      expect(await store.claim({ ...claim, id: 'two' })).toEqual(finished);
      expect(await other.claim({ ...claim, id: 'three' })).toEqual(finished);
      expect(await settled).toEqual(droppedOutcome());
    });

    it('keeps the reply to a retry in the memory of the replica that wrote the reply', async () => {
      const { store, other, toClaim, rows } = await openTwo();
      await store.claim(toClaim({ id: 'one' }));
      await store.finish('one', success, 8);
      await store.release('one', true);

      expect(await rows()).toEqual([{ id: 'one', state: 'finished', isStored: false }]);
      expect(await store.claim(toClaim())).toEqual({
        state: 'finished',
        id: 'one',
        outcome: success,
      });
      expect(await other.claim(toClaim())).toEqual({ state: 'started' });
    });

    it('returns the outcome of work in flight to a retry at another replica', async () => {
      const { store, other, toClaim } = await openTwo();
      await store.claim(toClaim({ id: 'one' }));
      const joined = await other.claim(toClaim());
      const settled = other.untilSettled('one', forever);
      await store.finish('one', success, 8);

      expect(joined).toEqual({ state: 'running', id: 'one' });
      expect(await settled).toEqual(success);
    });

    it('returns an outcome that no client has received to a retry at another replica', async () => {
      const { store, other, toClaim } = await openTwo();
      await store.claim(toClaim({ id: 'one' }));
      await store.finish('one', success, 8);
      await store.release('one', false);

      expect(await other.claim(toClaim())).toEqual({
        state: 'finished',
        id: 'one',
        outcome: success,
      });
    });

    it('returns an outcome to a retry that came while the first reply was being written', async () => {
      const { store, other, toClaim } = await openTwo();
      await store.claim(toClaim({ id: 'one' }));
      await store.finish('one', success, 8);
      const joined = await other.claim(toClaim());
      const settled = other.untilSettled('one', forever);
      await store.release('one', false);

      expect(joined).toEqual({ state: 'running', id: 'one' });
      expect(await settled).toEqual(success);
    });

    it('reports a client of another replica, and keeps the work for it', async () => {
      const { store, other, toClaim, advance } = await openTwo();
      await store.claim(toClaim({ id: 'one' }));
      const attached = store.untilAttached('one', forever);
      await store.release('one', false);
      await other.claim(toClaim());
      await attached;
      const whileAttached = await store.abandon('one');
      await other.release('one', false);
      const afterwards = await store.abandon('one');
      await advance(10_000);

      expect([whileAttached, afterwards]).toEqual([false, false]);
      expect(await store.abandon('one')).toBe(true);
    });

    it.each(['key', 'retry'] as const)(
      'gives work of kind %s an unknown outcome when the lease of its replica ends',
      async (kind) => {
        const { store, other, one, toClaim } = await openTwo();
        await store.claim(toClaim({ id: 'one', kind }));
        const joined = await other.claim(toClaim({ kind }));
        const settled = other.untilSettled('one', forever);
        await one.die();
        const unknown = { code: 'cancelled', options: { details: { outcome: 'unknown' } } };

        expect(joined).toEqual({ state: 'running', id: 'one' });
        expect(await settled).toMatchObject({ ok: false, failure: unknown });
        expect(await other.claim(toClaim({ kind }))).toMatchObject({
          state: 'finished',
          outcome: { ok: false, failure: unknown },
        });
      },
    );

    it('starts new work for the reply of a replica that is gone', async () => {
      const { store, other, one, toClaim } = await openTwo();
      await store.claim(toClaim({ id: 'one' }));
      await store.finish('one', success, 8);
      await store.release('one', true);
      await one.die();

      expect(await other.claim(toClaim())).toEqual({ state: 'started' });
    });

    it('waits for the work of a late replica while this replica may not judge others', async () => {
      const { store, other, one, two, toClaim } = await openTwo();
      await store.claim(toClaim({ id: 'one', kind: 'key' }));
      await one.die();
      const { schema } = two.postgres;
      await two.postgres.write(({ rows }) =>
        rows(`UPDATE ${schema}.replica SET since = since + 60000 WHERE id = $1`, [
          two.postgres.owner,
        ]),
      );

      expect(await other.claim(toClaim({ kind: 'key' }))).toEqual({ state: 'running', id: 'one' });
    });

    it('removes expired entries', async () => {
      const { store, other, toClaim, advance, rows } = await openTwo();
      await store.claim(toClaim({ id: 'one', kind: 'key' }));
      await store.finish('one', success, 8);
      await advance(60_000);

      await other.claim(toClaim({ id: 'two', identity: 'another' }));

      expect(await rows()).toEqual([{ id: 'two', state: 'running', isStored: false }]);
    });
  });
});
