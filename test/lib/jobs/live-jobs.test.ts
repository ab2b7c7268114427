import { beforeEach, describe, expect, test } from 'vitest';
import { interruption } from '../../../lib/errors/interruption.ts';
import type { VerifiedImage } from '../../../lib/images/image.ts';
import { cancellation } from '../../../lib/jobs/job-end.ts';
import type { JobKey, JobRecord } from '../../../lib/jobs/job-store-port.ts';
import { createLiveJobs, type LiveJobs } from '../../../lib/jobs/live-jobs.ts';
import { jobRequest } from '../../support/jobs.ts';

const MIB = 1024 * 1024;

let live: LiveJobs;
let reports: unknown[][];

beforeEach(() => {
  reports = [];
  live = createLiveJobs({
    begin: (...given) => void reports.push(['begin', ...given]),
    report: (...given) => void reports.push(['report', ...given]),
    remove: (...given) => void reports.push(['remove', ...given]),
  });
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

type ClaimedJob = JobKey & Pick<JobRecord, 'request'>;

/** Returns a job with this id. */
function jobKey(id: string) {
  return { id, scope: 'anonymous', sequence: 1 };
}

describe('createLiveJobs', () => {
  test('a stop during the claim of a job reaches the job', async () => {
    const reason = cancellation();
    const request = jobRequest();
    const { promise, resolve } = Promise.withResolvers<ClaimedJob>();
    const claimed = live.claim(
      () => promise,
      (job) => job,
    );
    const stopped = live.stop('one', reason, 'stop');

    resolve({ ...jobKey('one'), request });
    await claimed;

    expect(await stopped).toBe(true);
    expect(live.begin(jobKey('one')).signal.reason).toBe(reason);
  });

  test('a job that was not claimed in this process cannot be stopped, and can be claimed later', async () => {
    const refused = live.claim(
      () => Promise.reject(new Error('refused')),
      () => undefined,
    );
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

  test('each change of the progress is reported until the job ends', () => {
    const job = live.begin(jobKey('one'));
    job.note({ type: 'progress', stage: 'generating' });
    job.note({ type: 'progress', stage: 'generating', index: 1 });
    const { bytes, format } = partial(0).image;
    job.note(partial(0));
    const size = live.size();

    job.end();

    const shown = { type: 'partial_image', index: 0, partial_index: 0, width: 1, height: 1 };
    expect(reports).toEqual([
      ['begin', jobKey('one'), { stage: 'queued', partial_images: 0, finished_images: 0 }],
      [
        'report',
        jobKey('one'),
        {
          progress: { stage: 'generating', partial_images: 0, finished_images: 0 },
          event: { type: 'progress', stage: 'generating' },
        },
      ],
      ['report', jobKey('one'), { event: { type: 'progress', stage: 'generating', index: 1 } }],
      [
        'report',
        jobKey('one'),
        {
          progress: { stage: 'generating', partial_images: 1, finished_images: 0 },
          partial: { image: { bytes, format }, partialIndex: 0 },
          event: shown,
        },
      ],
      ['remove', jobKey('one')],
    ]);
    expect([size, live.size()]).toEqual([1, 0]);
  });

  test('each new number of finished images is reported with the stage until the job ends', () => {
    const job = live.begin(jobKey('one'));
    job.note({ type: 'progress', stage: 'generating' });

    for (const count of [1, 1, 2]) job.noteFinished(count);
    job.end();
    job.noteFinished(3);

    const ofStage = { stage: 'generating', partial_images: 0 };
    expect(reports.slice(2)).toEqual([
      ['report', jobKey('one'), { progress: { ...ofStage, finished_images: 1 } }],
      ['report', jobKey('one'), { progress: { ...ofStage, finished_images: 2 } }],
      ['remove', jobKey('one')],
    ]);
  });

  test('a partial image that is too large is only counted', () => {
    const job = live.begin(jobKey('one'));

    job.note(partial(0, 16 * MIB));
    job.note(partial(1, 16 * MIB + 1));

    const [largest, tooLarge] = reports.slice(1).map(([, , report]) => report);
    expect(largest).toMatchObject({ partial: { partialIndex: 0 } });
    expect(tooLarge).toEqual({
      progress: { stage: 'queued', partial_images: 2, finished_images: 0 },
    });
  });
});
