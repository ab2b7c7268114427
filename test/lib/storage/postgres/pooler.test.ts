import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../lib/config/load-config.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { toReplayPolicies } from '../../../../lib/replay/replay-policies.ts';
import { openPostgres } from '../../../../lib/storage/postgres/open-state.ts';
import type { StateStores } from '../../../../lib/storage/stores.ts';
import { newJob, succeeded, WIDE } from '../../../support/jobs.ts';
import { HAS_POOLER, startPooler } from '../../../support/pooler.ts';
import { createSchema, HAS_POSTGRES } from '../../../support/postgres.ts';

const { signal: forever } = new AbortController();
const POLICIES = toReplayPolicies({
  max_entries: 9,
  max_completed_bytes: 9000,
  completed_ttl_secs: 60,
});

/** Opens two replicas whose statements go through a pooler. Notifications need a session, so they go to the server. */
async function openPooled() {
  const { url: listenUrl, schema, drop } = await createSchema();
  // Fewer connections than the replicas have, so that transactions of both share the sessions of the server.
  const pooler = await startPooler(listenUrl, 3);
  const env = { DATABASE_URL: pooler.url, LISTEN_URL: listenUrl };
  const loaded = await loadConfig({
    env: {},
    cwd: tmpdir(),
    set: [
      'state.driver=postgres',
      `state.postgres.schema=${schema}`,
      'state.postgres.listen_url_env=LISTEN_URL',
      'state.postgres.poll_ms=60000',
      'artifacts.shared_folder=true',
    ],
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const { config } = loaded;
  const outside = { clock: systemClock, ids: createIds(systemClock.nowMs), env };
  const replicas = await Promise.all([
    openPostgres(config, outside),
    openPostgres(config, outside),
  ]);
  return {
    replicas,
    async close() {
      for (const replica of replicas) await replica.close();
      await pooler.stop();
      await drop();
    },
  };
}

describe.runIf(HAS_POSTGRES && HAS_POOLER)('openPostgres behind a pooler of transactions', () => {
  let pooled: Awaited<ReturnType<typeof openPooled>>;
  let one: StateStores;
  let two: StateStores;
  beforeAll(async () => {
    pooled = await openPooled();
    [one, two] = pooled.replicas as [StateStores, StateStores];
  });
  afterAll(() => pooled?.close());

  it('runs the jobs of many requests that arrive at both replicas at the same time', async () => {
    const jobs = Array.from({ length: 40 }, () => newJob());
    await Promise.all(jobs.map((job, nth) => (nth % 2 ? one : two).jobs.submit(job, WIDE)));

    const claimed = await Promise.all(jobs.map((_, nth) => (nth % 2 ? one : two).jobs.claim(1)));
    const ends = await Promise.all(
      claimed.map((job, nth) => (nth % 2 ? one : two).jobs.settle(job?.sequence ?? 0, succeeded())),
    );

    expect(new Set(claimed.map((job) => job?.id))).toEqual(new Set(jobs.map(({ id }) => id)));
    expect(ends).toEqual(jobs.map(() => true));
  });

  it('notifies the other replica of a job', async () => {
    const queued = new Promise((resolve) => {
      const end = two.notices.subscribe((notice) => {
        if (notice.type !== 'queued') return;
        end();
        resolve(notice.count);
      });
    });

    await one.jobs.submit(newJob(), WIDE);

    expect(await queued).toBe(1);
  });

  it('hands a slot of a shared limit to the other replica', async () => {
    const release = await one.permits?.take('gate', 1);
    const waiting = two.permits?.acquire('gate', 1, forever);

    release?.();

    expect(await waiting).toBeTypeOf('function');
  });

  it('returns the outcome of a request to the other replica', async () => {
    const [store, other] = [one.openReplay(POLICIES), two.openReplay(POLICIES)];
    const claim = {
      kind: 'key',
      scope: 's',
      identity: 'i',
      fingerprint: 'f',
      mayJoin: true,
    } as const;
    await store.claim({ ...claim, id: 'one' });
    const joined = await other.claim({ ...claim, id: 'two' });
    const settled = other.untilSettled('one', forever);
    await store.finish('one', { ok: true, value: 'an image' }, 8);

    expect(joined).toEqual({ state: 'running', id: 'one' });
    expect(await settled).toEqual({ ok: true, value: 'an image' });
  });
});
