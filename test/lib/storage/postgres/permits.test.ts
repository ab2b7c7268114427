import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createPermits } from '../../../../lib/storage/postgres/permits.ts';
import type { WakeUps } from '../../../../lib/storage/postgres/waiting.ts';
import { NO_WAKE_UPS } from '../../../support/no-wake-ups.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openReplicas, type TestReplica } from '../../../support/postgres-replicas.ts';

const forever = new AbortController().signal;

type Apply = TestReplica['postgres']['apply'];
type Statement = Parameters<Apply>;

/** Returns the replica with another way to run the statements of its permits. */
function withApply(
  replica: TestReplica,
  run: (apply: Apply, ...statement: Statement) => ReturnType<Apply>,
): TestReplica {
  const { postgres } = replica;
  // The type of the rows is known only to the caller of `apply`.
  const apply = ((...statement: Statement) => run(postgres.apply, ...statement)) as Apply;
  return { ...replica, postgres: { ...postgres, apply } };
}

describe.runIf(HAS_POSTGRES)('createPermits, PostgreSQL', () => {
  let opened: Awaited<ReturnType<typeof openReplicas>>;
  beforeAll(async () => {
    opened = await openReplicas();
  });
  afterAll(() => opened.close());

  async function open() {
    const { replicas, reset } = opened;
    await reset('permit');
    const [one, two] = replicas;
    return { one, permits: permitsOf(one), other: permitsOf(two) };
  }

  function permitsOf({ postgres, lease }: TestReplica, wakeUps: WakeUps = NO_WAKE_UPS) {
    const clock = systemClock;
    const ids = createIds(clock.nowMs);
    return createPermits({ postgres, lease, clock, ids, wakeUps, pollMs: 20 });
  }

  /** Returns permits that count their looks. */
  function countedOf(replica: TestReplica) {
    const looks = { count: 0, mostAtOnce: 0 };
    let looking = 0;
    const counted = withApply(replica, (apply, text, values) => {
      if (text.includes('pg_notify')) return apply(text, values);
      looks.count += 1;
      looking += 1;
      looks.mostAtOnce = Math.max(looks.mostAtOnce, looking);
      return apply(text, values).finally(() => {
        looking -= 1;
      });
    });
    return { looks, permits: permitsOf(counted) };
  }

  it('gives the slots of a gate to all replicas together', async () => {
    const { permits, other } = await open();
    const taken = await Promise.all(
      [permits, other, permits, other, permits].map((at) => at.take('g', 3)),
    );

    expect(taken.filter((release) => release !== undefined)).toHaveLength(3);
    expect(await other.take('g', 3)).toBeUndefined();
    expect(await other.take('another', 3)).toBeDefined();
  });

  it('frees a slot when it is released, once', async () => {
    const { permits, other } = await open();
    const first = await permits.take('g', 1);
    first?.();
    const second = await other.acquire('g', 1, forever);
    first?.();

    expect(await permits.take('g', 1)).toBeUndefined();
    second();
    await permits.acquire('g', 1, forever);
  });

  it('lets only the first waiting request of a replica look for a slot, and the others in their order', async () => {
    const { permits, one } = await open();
    const { looks, permits: counted } = countedOf(one);
    const holding = await permits.take('g', 1);
    const entered: number[] = [];

    const waiting = [0, 1, 2].map(async (nth) => {
      const release = await counted.acquire('g', 1, forever);
      entered.push(nth);
      release();
    });
    await expect.poll(() => looks.count).toBeGreaterThan(3);
    holding?.();
    await Promise.all(waiting);

    expect(entered).toEqual([0, 1, 2]);
    expect(looks.mostAtOnce).toBe(1);
  });

  it('takes the slots of waiting requests of a replica in one statement, but at most half of all slots', async () => {
    const { one, other } = await open();
    const { looks, permits: counted } = countedOf(one);

    await Promise.all(Array.from({ length: 24 }, () => counted.acquire('g', 25, forever)));

    expect(looks.count).toBe(2);
    expect(await other.take('g', 25)).toBeDefined();
    expect(await other.take('g', 25)).toBeUndefined();
  });

  it('takes the slots of requests that do not wait in one statement', async () => {
    const { one } = await open();
    const { looks, permits: counted } = countedOf(one);

    const taken = await Promise.all(Array.from({ length: 5 }, () => counted.take('g', 3)));

    expect(looks.count).toBe(1);
    expect(taken.map((release) => release !== undefined)).toEqual([true, true, true, false, false]);
  });

  it('gives the free slots to the first of the waiting requests of a replica', async () => {
    const { permits, other } = await open();
    const first = await other.take('g', 3);
    const entered: number[] = [];
    const waiting = [0, 1, 2, 3].map(async (nth) => {
      const release = await permits.acquire('g', 3, forever);
      entered.push(nth);
      return release;
    });
    await Promise.all(waiting.slice(0, 2));

    expect(entered).toEqual([0, 1]);
    first?.();
    const third = await waiting[2];
    expect(entered).toEqual([0, 1, 2]);
    third?.();
    await waiting[3];
  });

  it('frees the slot of a request that left the line after its slot was taken', async () => {
    const { one, other } = await open();
    const client = new AbortController();
    const permits = permitsOf(
      withApply(one, async (apply, text, values) => {
        const rows = await apply(text, values);
        client.abort(new Error('gone'));
        return rows;
      }),
    );

    const staying = permits.acquire('g', 2, forever);
    const leaving = permits.acquire('g', 2, client.signal);

    await expect(leaving).rejects.toThrow('gone');
    await staying;
    await other.acquire('g', 2, forever);
  });

  it('frees the slots of all requests of a statement whose answer was lost', async () => {
    const { one, other } = await open();
    let isLost = false;
    const permits = permitsOf(
      withApply(one, async (apply, text, values) => {
        const rows = await apply(text, values);
        if (isLost) return rows;
        isLost = true;
        throw new BridgeError('overloaded', 'lost', { cause: new Error('ECONNRESET') });
      }),
    );

    const taken = await Promise.allSettled([permits.take('g', 2), permits.take('g', 2)]);

    expect(taken.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await Promise.all([other.acquire('g', 2, forever), other.acquire('g', 2, forever)]);
  });

  it('keeps the slots that a statement has taken before it is repeated', async () => {
    const { one, other } = await open();
    const permits = permitsOf(
      withApply(one, async (apply, text, values) => {
        await apply(text, values);
        return apply(text, values);
      }),
    );

    const taken = await Promise.all([1, 2, 3].map(() => permits.take('g', 2)));

    expect(taken.map((release) => release !== undefined)).toEqual([true, true, false]);
    for (const release of taken) release?.();
    await Promise.all([other.acquire('g', 2, forever), other.acquire('g', 2, forever)]);
  });

  it('rejects only the first of the waiting requests if a statement fails', async () => {
    const { one } = await open();
    let isFailed = false;
    const permits = permitsOf(
      withApply(one, (apply, text, values) => {
        if (isFailed) return apply(text, values);
        isFailed = true;
        throw new BridgeError('internal', 'the state database is damaged');
      }),
    );

    const waiting = await Promise.allSettled([1, 2, 3].map(() => permits.acquire('g', 3, forever)));

    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('releases the slots of all gates in one statement, which notifies each gate once', async () => {
    const { one } = await open();
    const notified: string[] = [];
    let releases = 0;
    const counted = withApply(one, (apply, text, values) => {
      if (text.includes('pg_notify')) releases += 1;
      return apply(text, values);
    });
    const wakeUps: WakeUps = {
      ...NO_WAKE_UPS,
      argumentsOf(topic) {
        notified.push(topic);
        return ['nobody', topic];
      },
    };
    const permits = permitsOf(counted, wakeUps);
    const taken = await Promise.all(['a', 'a', 'b'].map((gate) => permits.take(gate, 2)));

    for (const release of taken) release?.();
    await Promise.all(['a', 'a', 'b', 'b'].map((gate) => permits.acquire(gate, 2, forever)));

    expect(releases).toBe(1);
    expect(notified).toEqual(['permit a', 'permit b']);
  });

  it('ends the wait for a slot when the signal aborts', async () => {
    const { permits, other } = await open();
    await permits.take('g', 1);
    const client = new AbortController();
    const waiting = other.acquire('g', 1, client.signal);
    client.abort(new Error('gone'));

    await expect(waiting).rejects.toThrow('gone');
  });

  it('frees the slots of a replica when its lease ends', async () => {
    const { permits, other, one } = await open();
    await permits.take('g', 2);
    await permits.take('g', 2);
    const waiting = other.acquire('g', 2, forever);
    await one.die();

    await waiting;
    expect(await other.take('g', 2)).toBeDefined();
    expect(await other.take('g', 2)).toBeUndefined();
  });

  it('adds rows only for slots that are used at the same time', async () => {
    const { permits, other, one } = await open();
    const [first] = [await permits.take('g', 1000), await permits.take('g', 1000)];
    first?.();
    await other.acquire('last', 1, forever);
    await other.take('g', 1000);

    const { schema, read } = one.postgres;
    const slots = await read(({ rows }) =>
      rows(`SELECT slot FROM ${schema}.permit WHERE gate = 'g'`),
    );
    expect(slots.length).toBeLessThanOrEqual(3);
  });

  it('never gives more slots than the limit to 24 competing requests', async () => {
    const { permits, other } = await open();
    let active = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 24 }, async (_, nth) => {
        const release = await (nth % 2 === 0 ? permits : other).acquire('g', 4, forever);
        active += 1;
        most = Math.max(most, active);
        await new Promise((resolve) => setImmediate(resolve));
        active -= 1;
        release();
      }),
    );

    expect(most).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(0);
  });
});
