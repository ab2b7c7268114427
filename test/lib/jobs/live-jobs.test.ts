import { beforeEach, describe, expect, test } from 'vitest';
import type { VerifiedImage } from '../../../lib/images/image.ts';
import { cancellation, interruption } from '../../../lib/jobs/job-end.ts';
import type { JobRecord } from '../../../lib/jobs/job-store-port.ts';
import { createLiveJobs, type LiveJobs } from '../../../lib/jobs/live-jobs.ts';
import { jobRequest } from '../../support/jobs.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

const forever = new AbortController().signal;
const MIB = 1024 * 1024;

let clock: ManualClock;
let live: LiveJobs;

beforeEach(() => {
  clock = createManualClock();
  live = createLiveJobs(clock);
});

function partial(partialIndex: number, byteLength = 1) {
  const image: VerifiedImage = {
    bytes: Buffer.alloc(byteLength),
    format: 'png',
    width: 1,
    height: 1,
    orientation: 1,
    alpha: 'none',
    sha256: 'ab'.repeat(32),
  };
  return { type: 'partial_image', index: 0, partialIndex, image } as const;
}

/** Returns a job with this id. */
function jobKey(id: string) {
  return { id, scope: 'anonymous', sequence: 1 };
}

/** Starts a wait that shows if it has ended. */
function waitFor(id: string, signal = forever) {
  const wait = { isOver: false };
  live.untilEnded(id, 1000, signal).then(() => {
    wait.isOver = true;
  });
  return wait;
}

describe('createLiveJobs', () => {
  test('a wait ends with its own job and not with another one', async () => {
    const [one, other] = [live.begin(jobKey('one')), live.begin(jobKey('other'))];
    const waits = [waitFor('one'), waitFor('one'), waitFor('other')];

    one.end();
    await clock.advance(0);
    const after = waits.map(({ isOver }) => isOver);
    other.end();
    await clock.advance(0);

    expect(after).toEqual([true, true, false]);
    expect(waits[2]?.isOver).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test.each<[string, (client: AbortController) => unknown]>([
    ['the job ends without having run', () => live.ended('one')],
    ['the time is over', () => clock.advance(1000)],
    ['the client disconnects', (client) => client.abort()],
    ['nothing runs here any more', () => live.over()],
  ])('a wait ends when %s, and leaves no timer', async (_, happen) => {
    const client = new AbortController();
    const wait = waitFor('one', client.signal);
    await clock.advance(999);
    const before = wait.isOver;

    await happen(client);
    await clock.advance(0);

    expect([before, wait.isOver]).toEqual([false, true]);
    expect(clock.waiting).toBe(0);
  });

  test('a wait that begins after the end of all work ends at once', async () => {
    live.over();

    await live.untilEnded('one', 1000, forever);

    expect(clock.waiting).toBe(0);
  });

  test('a stop during the claim of a job reaches the job', async () => {
    const reason = cancellation();
    const request = jobRequest();
    let give = (_job: Pick<JobRecord, 'id' | 'request'>) => {};
    const claimed = live.claim(
      () =>
        new Promise<Pick<JobRecord, 'id' | 'request'>>((resolve) => {
          give = resolve;
        }),
    );
    const stopped = live.stop('one', reason, 'stop');

    give({ id: 'one', request });
    await claimed;

    expect(await stopped).toBe(true);
    expect(live.begin(jobKey('one')).signal.reason).toBe(reason);
  });

  test('a job that was not claimed in this process cannot be stopped, and can be claimed later', async () => {
    const refused = live.claim(() => Promise.reject(new Error('refused')));
    const stopped = live.stop('one', cancellation(), 'stop');

    await expect(refused).rejects.toThrow('refused');
    expect(await stopped).toBe(false);
    expect(live.begin(jobKey('one')).signal.aborted).toBe(false);
  });

  test('stopping all jobs stops every running job, and every job that begins afterwards', () => {
    const before = live.begin(jobKey('before'));
    const reason = interruption();

    live.stopAll(reason);

    expect(before.signal.reason).toBe(reason);
    expect(live.begin(jobKey('after')).signal.reason).toBe(reason);
  });

  test('the latest partial image is kept until the end', () => {
    const job = live.begin(jobKey('one'));
    const before = live.partial('one');
    job.note(partial(0));
    job.note({ type: 'progress', stage: 'generating' });
    job.note(partial(1, 16 * MIB));
    job.note(partial(2, 16 * MIB + 1));
    const latest = live.partial('one');
    const progress = live.progress('one');
    const size = live.size();

    job.end();

    expect(before).toBeUndefined();
    expect(latest).toMatchObject({ partialIndex: 1 });
    expect(progress).toEqual({ stage: 'generating', partial_images: 3 });
    expect([size, live.size()]).toEqual([1, 0]);
    expect([live.partial('one'), live.progress('one')]).toEqual([undefined, undefined]);
  });
});
