import { describe, expect, it } from 'vitest';
import {
  readRelative,
  relativeRef,
  toJobImages,
  toListedImages,
} from '../../../../dashboard/src/job/state/job-images.ts';
import { detail, JOB_ID, result, storedInput } from '../../support/job-detail.ts';
import { artifacts, summary } from '../../support/job-summary.ts';

const OTHER = '0199f0a0-0000-7000-8000-000000000002';

describe('toJobImages', () => {
  it('lists sources, references, outputs and the other job, each with its name in the address', () => {
    const job = detail(
      { result: result(2) },
      { images: [storedInput(), storedInput()], reference_images: [storedInput()] },
    );

    const images = toJobImages(job, { job: detail({ id: OTHER, result: result(3) }), number: 2 });

    expect(images.map(({ ref }) => ref)).toEqual([
      'source',
      'source-2',
      'reference',
      '1',
      '2',
      `${OTHER}.2`,
    ]);
  });

  it('names the first image of another job by the id of the job alone', () => {
    const other = { job: detail({ id: OTHER, result: result(1) }), number: 1 };

    expect(toJobImages(detail({ result: result(1) }), other).at(-1)?.ref).toBe(OTHER);
    expect(readRelative(OTHER)).toEqual({ id: OTHER, number: 1 });
    expect(readRelative(relativeRef(OTHER, 12))).toEqual({ id: OTHER, number: 12 });
    expect(['2', 'source-2', `${OTHER}.0`, null].map(readRelative)).toEqual(
      Array(4).fill(undefined),
    );
  });

  it('leaves out an image that another job does not have', () => {
    const other = { job: detail({ id: OTHER, result: result(1) }), number: 2 };

    expect(toJobImages(detail({ result: result(1) }), other).map(({ ref }) => ref)).toEqual(['1']);
  });

  it('lists the finished images of an interrupted job', () => {
    const { data } = result(3);
    const job = detail({ status: 'interrupted', partial_result: { data: data.slice(1, 2) } });

    expect(toJobImages(job, undefined).map(({ ref }) => ref)).toEqual(['2']);
  });

  it('numbers inputs as the bridge does: images, mask, references', () => {
    const job = detail(
      {},
      { images: [storedInput()], mask: storedInput(), reference_images: [storedInput()] },
    );

    expect(toJobImages(job, undefined).map(({ path }) => path)).toEqual([
      `/v1/jobs/${JOB_ID}/inputs/0`,
      `/v1/jobs/${JOB_ID}/inputs/2`,
    ]);
  });

  it('shows the whole image as the source of a crop, because the stored input of a crop is its result', () => {
    const whole = { input: 0, artifact_id: 'a'.repeat(32), name: 'lighthouse.png' };
    const job = detail(
      { derived_from: [{ ...whole, width: 1536, height: 1024, created: 1_780_000_000 }] },
      { images: [storedInput()] },
    );
    const { routing } = job.request;
    const crop = {
      ...job,
      request: { ...job.request, routing: { ...routing, provider: 'image-bridge' } },
    };

    expect(toJobImages(crop).map(({ path }) => path)).toEqual([`/v1/artifacts/${'a'.repeat(32)}`]);
    expect(toJobImages(job).map(({ path }) => path)).toEqual([`/v1/jobs/${JOB_ID}/inputs/0`]);
  });

  it('numbers outputs by their index, which has gaps if some failed', () => {
    const { data, ...rest } = result(3);
    const job = detail({ result: { ...rest, data: data.slice(1) } });

    expect(toJobImages(job, undefined).map(({ number }) => number)).toEqual([2, 3]);
  });
});

describe('toListedImages', () => {
  it('lists the outputs with the same paths as the whole job', () => {
    const listed = toListedImages(summary({ artifacts: artifacts(2, 1536, 1024) }));
    const whole = toJobImages(detail({ result: result(2) }), undefined);

    expect(listed.map(({ path, ref }) => [path, ref])).toEqual(
      whole.map(({ path, ref }) => [path, ref]),
    );
  });
});
