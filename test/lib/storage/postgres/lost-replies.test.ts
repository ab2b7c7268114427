import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ArtifactRecord } from '../../../../lib/artifacts/artifact-store-port.ts';
import { NO_COUNTS } from '../../../../lib/generation/ledger/ledger-store-port.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { toReplayPolicies } from '../../../../lib/replay/replay-policies.ts';
import type { ReplayClaim } from '../../../../lib/replay/replay-store-port.ts';
import { createPostgresStores } from '../../../../lib/storage/postgres/postgres-stores.ts';
import { createReplayStore } from '../../../../lib/storage/postgres/replay-store.ts';
import { createReplicaLease } from '../../../../lib/storage/postgres/replica-lease.ts';
import { newJob, WIDE } from '../../../support/jobs.ts';
import { NO_WAKE_UPS } from '../../../support/no-wake-ups.ts';
import { emptySchema, HAS_POSTGRES } from '../../../support/postgres.ts';
import { type PostgresProxy, startPostgresProxy } from '../../../support/postgres-proxy.ts';
import { openTestDatabase } from './test-database.ts';

const REFUSED = { code: 'overloaded' };
const LEASE_MS = 3_600_000;
const POLICIES = toReplayPolicies({
  ...{ max_entries: 100, max_completed_bytes: 100_000, completed_ttl_secs: 60 },
});
const ARTIFACT: ArtifactRecord = {
  ...{ id: 'a'.repeat(32), scope: 's', name: 'a.png', format: 'png', width: 1, height: 1 },
  ...{ bytes: 9, sha256: 'ab'.repeat(32), createdSecs: 9 },
};
const LOSSES = [
  ['was committed', 'reply'],
  ['was undone', 'request'],
] as const;

describe.runIf(HAS_POSTGRES)('a write whose reply to COMMIT is lost', () => {
  let proxy: PostgresProxy;
  let replica: Awaited<ReturnType<typeof openReplica>>;

  async function openReplica(place: Parameters<typeof openTestDatabase>[0]) {
    // The replica asks for an outcome for a second.
    const database = await openTestDatabase(place, { statementTimeoutMs: 500 });
    const options = { name: 'test', version: 1, leaseMs: LEASE_MS, clock: systemClock };
    const lease = createReplicaLease(database, options);
    await lease.renew();
    const waiting = { clock: systemClock, wakeUps: NO_WAKE_UPS, pollMs: 20 };
    const replay = createReplayStore({ postgres: database, lease, policies: POLICIES, ...waiting });
    return { ...createPostgresStores(database, lease), replay, database };
  }

  beforeEach(async () => {
    const place = await emptySchema();
    proxy = await startPostgresProxy(place.url);
    onTestFinished(proxy.close);
    replica = await openReplica({ ...place, url: proxy.url });
  });

  const loseNext = (loss: 'reply' | 'request') => proxy.loseNextCommit(loss, { away: true });

  function select<Row>(table: string, columns: string): Promise<readonly Row[]> {
    const { schema, read } = replica.database;
    return read(({ rows }) => rows<Row>(`SELECT ${columns} FROM ${schema}.${table}`));
  }

  const attached = async () => {
    const [entry] = await select<{ clients: number }>('replay', 'clients');
    return entry?.clients;
  };

  const retry = (id: string): ReplayClaim => ({
    ...{ id, kind: 'retry', scope: 's', identity: 'r', fingerprint: 'f', mayJoin: true },
  });

  test.each(LOSSES)('detaches one of three clients once if it %s', async (_, loss) => {
    for (const id of ['one', 'two', 'three']) await replica.replay.claim(retry(id));
    await replica.replay.claim({ ...retry('last'), identity: 'another' });
    loseNext(loss);
    await replica.replay.release('one', false);
    // Failed writes are repeated in their order, so the end of this write shows the end of the first one.
    await replica.replay.forget('last');
    proxy.comeBack();
    await expect.poll(() => select('replay', 'id'), { timeout: 10_000 }).toEqual([{ id: 'one' }]);

    expect(await attached()).toBe(2);
  });

  test.each(LOSSES)('leaves no client of a rejected request attached if it %s', async (_, loss) => {
    await replica.replay.claim(retry('one'));
    // Claims tidy the entries at most every ten seconds, so the next transaction is the claim.
    loseNext(loss);
    await expect(replica.replay.claim(retry('two'))).rejects.toMatchObject(REFUSED);
    proxy.comeBack();

    await expect.poll(attached, { timeout: 10_000 }).toBe(1);
    await replica.replay.release('one', false);
    expect(await replica.replay.abandon('one')).toBe(true);
  });

  test.each(LOSSES)('counts a request without a reservation once if it %s', async (_, loss) => {
    const entry = {
      id: 'a-request',
      token: 't',
      day: 1,
      images: 2,
      allowance: undefined,
      retryAfterMs: 1,
    };
    const counts = [{ ...NO_COUNTS, provider: 'sandbox', images: 2 }];
    const record = () => replica.ledger.record(entry, { renewals: 0, counts });
    loseNext(loss);
    await expect(record()).rejects.toMatchObject(REFUSED);
    await expect(record()).rejects.toMatchObject(REFUSED);
    proxy.comeBack();
    await record();

    expect(await replica.usage.list({ token: 't', day: 1 })).toMatchObject([{ images: 2 }]);
    expect(await replica.usage.charged({ token: 't', day: 1 })).toBe(2);
  });

  test.each(LOSSES)('keeps no name of an image that was rejected if it %s', async (_, loss) => {
    loseNext(loss);
    await expect(replica.artifacts.claim([ARTIFACT])).rejects.toMatchObject(REFUSED);
    proxy.comeBack();

    await expect.poll(replica.artifacts.isEmpty, { timeout: 10_000 }).toBe(true);
  });

  test.each(LOSSES)('releases withdrawn artifacts for recovery if it %s', async (_, loss) => {
    const { artifacts } = replica;
    const record = ARTIFACT;
    await artifacts.claim([record]);
    await artifacts.publish([record.id]);
    loseNext(loss);
    await expect(artifacts.withdraw([record.id])).rejects.toMatchObject(REFUSED);
    proxy.comeBack();
    const isPublished = async () => (await artifacts.find(record.scope, record.id)) !== undefined;
    const left =
      loss === 'reply'
        ? [{ state: 'pending', owner: null }]
        : [{ state: 'published', owner: null }];

    await expect.poll(() => select('artifact', 'state, owner'), { timeout: 10_000 }).toEqual(left);
    expect(await isPublished()).toBe(loss === 'request');
  });

  test.each(LOSSES)(
    'is called unknown, and not retryable, if it accepts a job and %s',
    async (_, loss) => {
      const job = newJob();
      loseNext(loss);
      await expect(replica.jobs.submit(job, WIDE)).rejects.toMatchObject({
        ...REFUSED,
        retryable: false,
        details: { outcome: 'unknown' },
      });
      proxy.comeBack();

      const find = () => replica.jobs.find(job.scope, job.id).catch(() => 'unavailable');
      await expect.poll(find, { timeout: 10_000 }).not.toBe('unavailable');
      expect((await replica.jobs.find(job.scope, job.id)) !== undefined).toBe(loss === 'reply');
    },
  );

  test('releases the intents that it took over from a replica that is gone', async () => {
    const { artifacts } = replica;
    const record = ARTIFACT;
    await artifacts.claim([record]);
    await artifacts.abandon([record.id]);
    loseNext('reply');
    await expect(artifacts.takeAbandoned({ after: '', limit: 10 })).rejects.toMatchObject(REFUSED);
    proxy.comeBack();

    await expect
      .poll(() => artifacts.takeAbandoned({ after: '', limit: 10 }).catch(() => []), {
        timeout: 10_000,
      })
      .toMatchObject([{ id: record.id }]);
  });
});
