import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { type JobRig, openJobRig, SCOPE, until } from './job-rig.ts';

const ALICE = { ...unnamedCaller(SCOPE), id: 'alice', imagesPerDay: 500 };
/** Another token of the same scope. */
const BOB = { ...unnamedCaller(SCOPE), id: 'bob', imagesPerDay: 500 };
const WEBHOOK = { webhook: { url: 'https://hooks.test/', events: ['cancelled'] } };

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig({ max_pending: 1000 });
});
afterEach(() => rig.close());

const submitAs = async (caller: typeof ALICE, sent: object = {}) =>
  (await rig.submit(sent, { caller })).job.id;
const statusOf = async (id: string) => (await rig.read(id)).status;

describe('the jobs of a removed token', () => {
  test('jobs of a removed token are cancelled before a claim, and jobs of another token of the scope run', async () => {
    const ids = [await submitAs(ALICE), await submitAs(BOB), await submitAs(ALICE)];
    rig.removedIds.push('alice');

    rig.work();
    const run = await rig.run(0);
    run.succeed();
    await rig.ended(ids[1] ?? '');

    expect(await Promise.all(ids.map(statusOf))).toEqual(['cancelled', 'succeeded', 'cancelled']);
    expect((await rig.read(ids[0] ?? '')).error).toMatchObject({
      code: 'cancelled',
      retryable: false,
      details: { reason: 'token_removed' },
    });
    expect(rig.runs).toHaveLength(1);
  });

  test('running jobs of a removed token end with the facts about their provider', async () => {
    const id = await submitAs(ALICE);
    rig.work();
    await rig.run(0);
    rig.removedIds.push('alice');

    await rig.runTask('removed-tokens');

    expect(await rig.ended(id)).toMatchObject({
      status: 'cancelled',
      error: { details: { reason: 'token_removed', provider_stopped: true } },
    });
  });

  test('jobs of a removed token end while the queue is paused, because the task does not wait for a claim', async () => {
    const id = await submitAs(ALICE);
    await rig.jobQueue.update({ paused: true });
    rig.removedIds.push('alice');

    await rig.runTask('removed-tokens');

    expect(await statusOf(id)).toBe('cancelled');
  });

  test('queued jobs of a removed token release their charge, and their webhooks are due', async () => {
    const id = await submitAs(ALICE, { ...WEBHOOK, parameters: { n: 3 } });
    const used = async () =>
      (await rig.usage.report(ALICE, { days: 1, tokens: 'own' })).caller.allowance?.used;
    expect(await used()).toBe(3);
    rig.removedIds.push('alice');

    await rig.runTask('removed-tokens');

    expect(await used()).toBe(0);
    expect((await rig.read(id)).webhook).toMatchObject({ status: 'pending' });
  });

  test('all jobs of a removed token are found, even behind running jobs that do not stop', async () => {
    rig.behavior.stopsOnAbort = false;
    const ids: string[] = [];
    for (let count = 0; count < 205; count += 1) ids.push(await submitAs(ALICE));
    rig.work(2);
    await rig.run(1);
    rig.removedIds.push('alice');

    await rig.runTask('removed-tokens');

    const states = await Promise.all(ids.map(statusOf));
    expect(states.filter((status) => status === 'cancelled')).toHaveLength(203);
    expect(states.slice(0, 2)).toEqual(['running', 'running']);
    for (const run of rig.runs) run.succeed();
    const ended = () => Promise.all(ids.slice(0, 2).map(statusOf));
    await until(async () => !(await ended()).includes('running'));
    expect(await ended()).toEqual(['cancelled', 'cancelled']);
  });

  test('jobs run if their token is merely missing, and if no token was removed', async () => {
    const id = await submitAs(ALICE);
    rig.removedIds.push('carol');

    rig.work();
    (await rig.run(0)).succeed();

    expect((await rig.ended(id)).status).toBe('succeeded');
  });
});
