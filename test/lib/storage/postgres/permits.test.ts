import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createPermits } from '../../../../lib/storage/postgres/permits.ts';
import { NO_WAKE_UPS } from '../../../support/no-wake-ups.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openReplicas, type TestReplica } from '../../../support/postgres-replicas.ts';

const forever = new AbortController().signal;

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

  function permitsOf({ postgres, lease }: TestReplica) {
    const clock = systemClock;
    const ids = createIds(clock.nowMs);
    return createPermits({ postgres, lease, clock, ids, wakeUps: NO_WAKE_UPS, pollMs: 20 });
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
    let looks = 0;
    let [looking, most] = [0, 0];
    const apply: TestReplica['postgres']['apply'] = async (text, values) => {
      if (!text.includes('isTaken')) return one.postgres.apply(text, values);
      looks += 1;
      looking += 1;
      most = Math.max(most, looking);
      return one.postgres.apply<never>(text, values).finally(() => {
        looking -= 1;
      });
    };
    const counted = permitsOf({ ...one, postgres: { ...one.postgres, apply } });
    const holding = await permits.take('g', 1);
    const entered: number[] = [];

    const waiting = [0, 1, 2].map(async (nth) => {
      const release = await counted.acquire('g', 1, forever);
      entered.push(nth);
      release();
    });
    await expect.poll(() => looks).toBeGreaterThan(3);
    holding?.();
    await Promise.all(waiting);

    expect(entered).toEqual([0, 1, 2]);
    expect(most).toBe(1);
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
