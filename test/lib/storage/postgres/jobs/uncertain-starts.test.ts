import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FAILURE, newJob, WIDE } from '../../../../support/jobs.ts';
import { HAS_POSTGRES } from '../../../../support/postgres.ts';
import { openPostgresForm } from '../../../../support/postgres-form.ts';
import { type PostgresProxy, startPostgresProxy } from '../../../../support/postgres-proxy.ts';

/** The end of a lease that no test outlives. */
const FUTURE_SECS = 10_000_000_000;
const REFUSED = { code: 'overloaded' };

describe.runIf(HAS_POSTGRES)('a replica that does not learn the outcome of a transaction', () => {
  let form: Awaited<ReturnType<typeof openPostgresForm>>;
  let proxy: PostgresProxy;
  let replica: Awaited<ReturnType<typeof form.other>>;

  beforeEach(async () => {
    form = await openPostgresForm();
    proxy = await startPostgresProxy(form.url);
    // The replica asks for an outcome for a second.
    replica = await form.other(FUTURE_SECS, { url: proxy.url, statementTimeoutMs: 500 });
  });
  afterEach(async () => {
    await form.close();
    await proxy.close();
  });

  const submit = async () => (await form.stores.jobs.submit(newJob(), WIDE)).job;
  const claimAll = async (count: number) => {
    const claims = Array.from({ length: count }, () => replica.jobs.claim(9));
    return (await Promise.all(claims)).map((job) => job?.id);
  };

  test.each([
    ['the claim was stored', 'reply'],
    ['the claim was undone', 'request'],
  ] as const)('runs the claimed jobs with its next claims, each once, if %s', async (_, loss) => {
    const jobs = [await submit(), await submit()];
    proxy.loseNextCommit(loss, { away: true });
    const lost = await Promise.allSettled([replica.jobs.claim(9), replica.jobs.claim(9)]);
    expect(lost).toMatchObject([{ reason: REFUSED }, { reason: REFUSED }]);
    await expect(replica.jobs.claim(9)).rejects.toMatchObject(REFUSED);
    proxy.comeBack();

    const claimed = [...(await claimAll(1)), ...(await claimAll(2))];

    expect(claimed).toEqual([...jobs.map(({ id }) => id), undefined]);
    expect(await form.stores.jobs.totals()).toMatchObject({ byStatus: { running: 2, queued: 0 } });
  });

  test('claims nothing more if the job has been cancelled meanwhile', async () => {
    const { scope, id } = await submit();
    proxy.loseNextCommit('request', { away: true });
    await expect(replica.jobs.claim(9)).rejects.toMatchObject(REFUSED);
    const request = { atSecs: 9, error: FAILURE, inFlight: 'stop' } as const;
    await form.stores.jobs.cancel(scope, id, request);
    proxy.comeBack();

    expect(await claimAll(1)).toEqual([undefined]);
  });

  test('does not run a claimed job after the end of its lease, because another replica may end the job', async () => {
    const { id } = await submit();
    const { schema, owner, write } = form.database;
    const setLease = (untilMs: number) =>
      write(({ rows }) =>
        rows(`UPDATE ${schema}.replica SET lease_until = $1 WHERE id <> $2`, [untilMs, owner]),
      );
    proxy.loseNextCommit('reply', { away: true });
    await expect(replica.jobs.claim(9)).rejects.toMatchObject(REFUSED);
    proxy.comeBack();

    await setLease(0);
    const late = await claimAll(1);
    await setLease(FUTURE_SECS * 1000);

    expect([late, await claimAll(1)]).toEqual([[undefined], [id]]);
  });

  test.each([
    ['the takeover was stored', 'reply'],
    ['the takeover was undone', 'request'],
  ] as const)('resumes a job with a ticket once if %s', async (_, loss) => {
    const { id } = await submit();
    await form.stores.jobs.claim(9);
    const call = { call: 0, indices: [0], provider: 'sandbox' };
    await form.stores.ledger.addCall(id, call);
    await form.stores.ledger.accept(id, { call: 0, model: 'a-model', ticket: 'a ticket' });
    await form.endLease();
    const end = { atSecs: 10, error: FAILURE };
    proxy.loseNextCommit(loss, { away: true });
    await expect(replica.jobs.resumeAbandoned(end)).rejects.toMatchObject(REFUSED);
    await expect(replica.jobs.resumeAbandoned(end)).rejects.toMatchObject(REFUSED);
    proxy.comeBack();

    const resumed = [
      await replica.jobs.resumeAbandoned(end),
      await replica.jobs.resumeAbandoned(end),
    ];

    expect(resumed).toMatchObject([
      { job: { id }, earlier: { calls: [{ ticket: 'a ticket' }] } },
      undefined,
    ]);
  });
});
