import { describe, expect, test } from 'vitest';
import type { ClaimLimits, JobRecord, UnreadableJob } from '../../../lib/jobs/job-store-port.ts';
import { createJobQueue } from '../../../lib/jobs/job-worker.ts';
import { createLiveJobs } from '../../../lib/jobs/live-jobs.ts';
import type { FailureSource } from '../../../lib/log/trace-log.ts';
import { CREATED_SECS, jobRequest } from '../../support/jobs.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createTestNotices } from '../../support/test-notices.ts';
import { refusal } from './job-rig.ts';

const forever = new AbortController().signal;

function record(sequence: number): JobRecord {
  return {
    sequence,
    id: `job-${sequence}`,
    scope: 'anonymous',
    status: 'running',
    priority: 0,
    labels: [],
    parents: [],
    createdSecs: CREATED_SECS,
    updatedSecs: CREATED_SECS,
    request: jobRequest(),
    cancelRequested: false,
    favorite: false,
    requestId: 'request',
    token: '',
    provider: 'sandbox',
  };
}

/** Opens a queue on a store. The test decides the reply to each claim. */
function openQueue(claimLimits: ClaimLimits = {}) {
  const clock = createManualClock();
  const claims: { give(job?: JobRecord | UnreadableJob): void; refuse(): void }[] = [];
  const claim = () =>
    new Promise<JobRecord | UnreadableJob | undefined>((resolve, reject) => {
      claims.push({ give: resolve, refuse: () => reject(refusal()) });
    });
  const failures: FailureSource[] = [];
  const folder = { isHealthy: true };
  const notices = createTestNotices();
  const beforeClaims: (() => Promise<void>)[] = [];
  const queue = createJobQueue({
    beforeClaim: () => beforeClaims.shift()?.(),
    store: { claim },
    notices: notices.port,
    live: createLiveJobs({ begin: () => {}, report: () => {}, remove: () => {} }),
    canPublish: () => folder.isHealthy,
    claimLimits,
    log: { failure: (_, source) => void failures.push(source) },
    clock,
  });
  const given: number[] = [];
  const take = (signal = forever) =>
    queue.next(signal).then(({ sequence }) => void given.push(sequence));
  return { clock, claims, given, take, failures, folder, beforeClaims, publish: notices.publish };
}

describe('createJobQueue', () => {
  test('no job is claimed while its images could not be stored', async () => {
    const { clock, claims, given, take, folder } = openQueue();
    folder.isHealthy = false;
    take();
    await clock.advance(5000);
    const before = claims.length;

    folder.isHealthy = true;
    await clock.advance(1000);
    claims[0]?.give(record(7));
    await clock.advance(0);

    expect(before).toBe(0);
    expect(given).toEqual([7]);
  });

  test('a queued job is claimed at once', async () => {
    const { clock, claims, given, take } = openQueue();
    take();
    claims[0]?.give(record(7));

    await clock.advance(0);

    expect(given).toEqual([7]);
  });

  test('no job is claimed until the jobs that must not be claimed have ended', async () => {
    const { clock, claims, given, take, beforeClaims } = openQueue();
    const ended = Promise.withResolvers<void>();
    beforeClaims.push(() => ended.promise);
    take();
    await clock.advance(0);
    const before = claims.length;

    ended.resolve();
    await clock.advance(0);
    claims[0]?.give(record(7));
    await clock.advance(0);

    expect(before).toBe(0);
    expect(given).toEqual([7]);
  });

  test('a claim is retried after a second if those jobs cannot be ended', async () => {
    const { clock, claims, take, beforeClaims, failures } = openQueue();
    beforeClaims.push(() => Promise.reject(refusal()));
    take();
    await clock.advance(999);
    const before = claims.length;

    await clock.advance(1);

    expect([before, claims.length]).toEqual([0, 1]);
    expect(failures).toEqual([{ task: 'job-claim' }]);
  });

  test('each added job wakes one waiting worker', async () => {
    const { clock, claims, publish, take } = openQueue();
    take();
    take();
    for (const one of claims) one.give();
    await clock.advance(0);

    publish({ type: 'queued', count: 1, ownCount: 0 });
    await clock.advance(0);
    const woken = claims.length;
    publish({ type: 'queued', count: 1, ownCount: 0 });
    await clock.advance(0);

    expect(woken).toBe(3);
    expect(claims).toHaveLength(4);
  });

  test('only jobs that the bridge makes wake a worker that claims own work', async () => {
    const { clock, claims, publish, take } = openQueue({ isOwnWork: true });
    take();
    claims[0]?.give();
    await clock.advance(0);

    publish({ type: 'queued', count: 3, ownCount: 0 });
    await clock.advance(0);
    const before = claims.length;
    publish({ type: 'queued', count: 3, ownCount: 1 });
    await clock.advance(0);

    expect([before, claims.length]).toEqual([1, 2]);
  });

  test('jobs that were added together wake as many workers', async () => {
    const { clock, claims, publish, take } = openQueue();
    for (let count = 0; count < 4; count += 1) take();
    for (const one of claims) one.give();
    await clock.advance(0);

    publish({ type: 'queued', count: 3, ownCount: 0 });
    await clock.advance(0);

    expect(claims).toHaveLength(7);
  });

  test('one worker searches for jobs after lost notices, and wakes the others if it finds a job', async () => {
    const { clock, claims, given, publish, take } = openQueue();
    for (let count = 0; count < 3; count += 1) take();
    for (const one of claims) one.give();
    await clock.advance(0);

    publish({ type: 'missed' });
    await clock.advance(0);
    const searching = claims.length;
    claims[3]?.give();
    await clock.advance(0);
    publish({ type: 'missed' });
    await clock.advance(0);
    claims[4]?.give(record(1));
    await clock.advance(0);

    expect(searching).toBe(4);
    expect(given).toEqual([1]);
    expect(claims).toHaveLength(7);
  });

  test('all waiting workers are woken when the queue is resumed', async () => {
    const { clock, claims, publish, given, take } = openQueue();
    take();
    take();
    for (const one of claims) one.give();
    await clock.advance(0);

    publish({ type: 'resumed' });
    await clock.advance(0);
    for (const [nth, one] of claims.slice(2).entries()) one.give(record(nth));
    await clock.advance(0);

    expect(given).toEqual([0, 1]);
  });

  test('a claim is repeated if a job was added during it', async () => {
    const { clock, claims, publish, given, take } = openQueue();
    take();
    publish({ type: 'queued', count: 1, ownCount: 0 });
    claims[0]?.give();
    await clock.advance(0);

    claims[1]?.give(record(3));
    await clock.advance(0);

    expect(given).toEqual([3]);
  });

  test('a claim is repeated at once after the claim of an unreadable job', async () => {
    const { clock, claims, given, take } = openQueue();
    take();
    claims[0]?.give({ sequence: 1, id: 'job-1', scope: 'anonymous' });
    await clock.advance(0);

    claims[1]?.give(record(2));
    await clock.advance(0);

    expect(given).toEqual([2]);
  });

  test('a failed claim is retried after a second without a wake', async () => {
    const { clock, claims, given, take } = openQueue();
    take();
    claims[0]?.refuse();
    await clock.advance(999);
    const before = claims.length;

    await clock.advance(1);
    claims[1]?.give(record(1));
    await clock.advance(0);

    expect(before).toBe(1);
    expect(given).toEqual([1]);
  });

  test('only the first failed claim in a row is reported', async () => {
    const { clock, claims, take, failures } = openQueue();
    take();
    take();
    claims[0]?.refuse();
    claims[1]?.refuse();
    await clock.advance(1000);
    claims[2]?.refuse();
    claims[3]?.give(record(1));
    await clock.advance(0);
    const whileRefused = failures.length;

    take();
    claims[4]?.refuse();
    await clock.advance(0);

    expect(whileRefused).toBe(1);
    expect(failures).toEqual([{ task: 'job-claim' }, { task: 'job-claim' }]);
  });

  test.each([
    ['waits', (claim?: { give(): void }) => claim?.give()],
    ['waits after a failed claim', (claim?: { refuse(): void }) => claim?.refuse()],
  ])('a worker that %s is rejected when it stops, and no timer remains', async (_, reply) => {
    const { clock, claims, publish, take } = openQueue();
    const stopping = new AbortController();
    const taking = take(stopping.signal);
    const refused = expect(taking).rejects.toThrow('stop');
    reply(claims[0]);
    await clock.advance(0);

    stopping.abort(new Error('stop'));
    await refused;
    publish({ type: 'queued', count: 1, ownCount: 0 });
    await clock.advance(10_000);

    expect(claims).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });
});
