import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { type JobRig, openJobRig, SCOPE, until } from './job-rig.ts';

const caller = { ...unnamedCaller(SCOPE), id: 'alice', imagesPerDay: 4 };
const three = { parameters: { n: 3 } };

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

const used = async () =>
  (await rig.usage.report(caller, { days: 1, tokens: 'own' })).caller.allowance?.used;

describe('the allowance of a job', () => {
  test('the images of a job are charged when the job is accepted', async () => {
    await rig.submit(three, { caller });

    expect(await used()).toBe(3);
  });

  test('a job beyond the allowance is rejected and not charged', async () => {
    await rig.submit(three, { caller });

    await expect(rig.submit(three, { caller })).rejects.toMatchObject({
      code: 'rate_limited',
      details: { reason: 'allowance', remaining: 1 },
    });

    expect(await used()).toBe(3);
    await rig.submit({}, { caller });
  });

  test('a job beyond the allowance is rejected before its images are decoded', async () => {
    await rig.submit(three, { caller });
    const broken = { type: 'base64', data: '====', media_type: 'image/png' };

    const refused = rig.submit({ ...three, operation: 'edit', images: [broken] }, { caller });

    await expect(refused).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('a repeated request is not charged again', async () => {
    const { job } = await rig.submit(three, { caller, idempotencyKey: 'one' });

    const again = await rig.submit(three, { caller, idempotencyKey: 'one' });

    expect(again).toMatchObject({ job, replayed: true });
    expect(await used()).toBe(3);
  });

  test('a hundred concurrent jobs do not exceed the allowance', async () => {
    const tries = Array.from({ length: 100 }, () => rig.submit({}, { caller }));

    const ended = await Promise.allSettled(tries);

    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(await used()).toBe(4);
  });

  test('the charge is released if a job cannot start because its request is damaged', async () => {
    await rig.submit(three, { caller });
    await rig.state.damageJobRequests();

    rig.work();
    await until(async () => (await rig.store.totals()).byStatus.failed === 1);

    expect(await used()).toBe(0);
  });

  test('the charge is released if a queued job is cancelled', async () => {
    const { job } = await rig.submit(three, { caller });

    await rig.jobs.cancel(SCOPE, job.id);

    expect(await used()).toBe(0);
  });

  test('the run of a job is charged to its token', async () => {
    await rig.submit(three, { caller });
    rig.work();
    const run = await rig.run(0);
    const { ledger } = run.context;
    const [made, notMade] = [ledger.beginCall('sandbox', [0]), ledger.beginCall('sandbox', [1, 2])];
    await made.open();
    made.replied(1, undefined);
    await notMade.open();
    notMade.failed(new BridgeError('upstream', 'no'));

    run.fail(new BridgeError('upstream', 'no'));
    await until(() => rig.active() === 0);

    expect(await used()).toBe(1);
    const { items } = await rig.usage.report(caller, { days: 1, tokens: 'own' });
    expect(items).toMatchObject([{ images: 1, lost: 1, unknown: 0, failed: 2 }]);
  });

  test('outputs that an abandoned job may have sent stay charged', async () => {
    await rig.submit(three, { caller });
    const job = await rig.store.claim(rig.clock.nowMs() / 1000);
    const account = rig.usage.accountOfJob({
      id: job?.id ?? '',
      token: 'alice',
      request: { routing: { provider: null }, parameters: { n: 3 } },
    });
    await account.open({ call: 0, provider: 'sandbox', indices: [1] });
    const atSecs = rig.clock.nowMs() / 1000;
    await rig.state.disownJobs();
    const error = {
      code: 'cancelled',
      message: '',
      retryable: false,
      details: {},
    };

    await rig.store.interruptAbandoned({ atSecs, error: { ...error, code: 'cancelled' } });

    expect(job).toMatchObject({ token: 'alice' });
    expect(await used()).toBe(1);
    const { items } = await rig.usage.report(caller, { days: 1, tokens: 'own' });
    expect(items).toMatchObject([
      { images: 0, unknown: 1, failed: 2, by_provider: { sandbox: { unknown: 1, failed: 0 } } },
    ]);
  });
});
