import { describe, expect, it } from 'vitest';
import { type JobImage, toJobImages } from '../../../../dashboard/src/job/state/job-images.ts';
import { afterPress, stepOutput, toLooking } from '../../../../dashboard/src/job/state/looking.ts';
import { detail, result, storedInput } from '../../support/job-detail.ts';

const EDIT = toJobImages(detail({ result: result(3) }, { images: [storedInput()] }), undefined);
const ALONE = toJobImages(detail({ result: result(1) }), undefined);
const look = (search: string, images = EDIT) => toLooking(new URLSearchParams(search), images);
const refs = ({ a, b }: { a: JobImage | undefined; b: JobImage | undefined }) => [a?.ref, b?.ref];
const named = (ref: string) => {
  const image = EDIT.find((each) => each.ref === ref);
  if (image === undefined) throw new Error(`there is no ${ref}`);
  return image;
};

describe('toLooking', () => {
  it.each([
    ['', 'single', [undefined, '1']],
    ['b=2', 'single', [undefined, '2']],
    ['b=source', 'single', [undefined, 'source']],
    ['b=9', 'single', [undefined, '1']],
    ['view=side', 'side', ['source', '1']],
    ['view=slider&a=source&b=2', 'slider', ['source', '2']],
    ['view=slider&a=2', 'slider', ['2', '1']],
    ['view=side&a=1', 'side', ['1', '2']],
    ['view=side&b=source', 'side', ['source', '1']],
    ['view=nothing', 'single', [undefined, '1']],
  ])('reads the view and the images from %j', (search, view, pair) => {
    const looking = look(search);

    expect([looking.view, refs(looking)]).toEqual([view, pair]);
  });

  it('compares outputs with each other if the job has no source', () => {
    const outputs = toJobImages(detail({ result: result(2) }), undefined);

    expect(refs(look('view=side', outputs))).toEqual(['1', '2']);
  });

  it('replaces a view that is not available for the images', () => {
    expect(look('', ALONE).views).toEqual(['single']);
    expect(look('view=grid', ALONE).view).toBe('single');
    expect(look('').views).toEqual(['single', 'grid', 'side', 'slider']);
  });

  it('shows no image if the job has none', () => {
    expect(refs(look('view=side', []))).toEqual([undefined, undefined]);
  });
});

describe('afterPress', () => {
  it('shows the pressed image', () => {
    expect(afterPress(look(''), named('2'))).toEqual({ b: '2' });
  });

  it('replaces B and keeps A in a comparison', () => {
    expect(afterPress(look('view=side'), named('3'))).toEqual({ a: 'source', b: '3' });
  });

  it('swaps A and B when A is pressed', () => {
    expect(afterPress(look('view=side&a=source&b=2'), named('source'))).toEqual({
      a: '2',
      b: 'source',
    });
  });

  it('leaves the grid after a press', () => {
    expect(afterPress(look('view=grid'), named('3'))).toEqual({ view: undefined, b: '3' });
  });
});

describe('stepOutput', () => {
  it('steps through the outputs and stops at both ends', () => {
    expect(stepOutput(EDIT, look('b=2'), 1)?.ref).toBe('3');
    expect(stepOutput(EDIT, look('b=2'), -1)?.ref).toBe('1');
    expect(stepOutput(EDIT, look('b=3'), 1)).toBeUndefined();
    expect(stepOutput(EDIT, look('b=1'), -1)).toBeUndefined();
  });

  it('skips the image that is being compared', () => {
    expect(stepOutput(EDIT, look('view=side&a=2&b=1'), 1)?.ref).toBe('3');
  });

  it('steps from a source to the first output', () => {
    expect(stepOutput(EDIT, look('b=source'), 1)?.ref).toBe('1');
  });
});
