import { describe, expect, it } from 'vitest';
import type { Family } from '../../../dashboard/src/api/schemas.ts';
import { MAX_MASKS, masksOf } from '../../../dashboard/src/canvas/family-masks.ts';

type Item = Family['items'][number];

const SIZE = { width: 384, height: 256 };

/** Returns the job number `nth`. A later job has a higher number. */
function job(nth: number, mask?: Partial<NonNullable<Item['mask']>>): Item {
  const id = `01890000-0000-7000-8000-${String(nth).padStart(12, '0')}`;
  const facts = { id, prompt: `prompt ${nth}` } as Item;
  return mask === undefined
    ? facts
    : { ...facts, mask: { input: 1, sha256: 'a'.repeat(64), ...SIZE, ...mask } };
}

function promptsOf(...items: readonly Item[]): readonly string[] {
  const total = { count: items.length, at_least: false };
  return masksOf({ items: [...items], total }, SIZE).map(({ prompt }) => prompt);
}

const hash = (nth: number) => String(nth).padStart(64, '0');

describe('masksOf', () => {
  it('returns the path and the prompt of a mask', () => {
    const items = [job(7, { input: 2, sha256: hash(1) })];

    const masks = masksOf({ items, total: { count: 1, at_least: false } }, SIZE);

    expect(masks).toEqual([
      { sha256: hash(1), prompt: 'prompt 7', path: `/v1/jobs/${items[0]?.id}/inputs/2` },
    ]);
  });

  it('orders the masks from the newest to the oldest, in whatever order the family is', () => {
    const [one, two, three] = [1, 2, 3].map((nth) => job(nth, { sha256: hash(nth) }));
    if (!one || !two || !three) throw new Error('three jobs');

    expect(promptsOf(two, three, one)).toEqual(['prompt 3', 'prompt 2', 'prompt 1']);
  });

  it('returns equal masks once, with the newest job', () => {
    const twice = [job(2, { sha256: hash(1) }), job(5, { sha256: hash(1) })];

    expect(promptsOf(...twice, job(3, { sha256: hash(2) }))).toEqual(['prompt 5', 'prompt 3']);
  });

  it.each([
    ['a job without a mask', job(1)],
    ['a mask of another width', job(1, { width: 383 })],
    ['a mask that is turned', job(1, { width: 256, height: 384 })],
    ['a mask of unknown size', { ...job(1), mask: { input: 1, sha256: hash(1) } }],
  ])('omits %s', (_, item) => {
    expect(promptsOf(item)).toEqual([]);
  });

  it(`returns at most the ${MAX_MASKS} newest masks`, () => {
    const items = Array.from({ length: 20 }, (_, nth) => job(nth, { sha256: hash(nth) }));

    const prompts = promptsOf(...items);

    expect(prompts).toHaveLength(MAX_MASKS);
    expect(prompts.at(0)).toBe('prompt 19');
    expect(prompts.at(-1)).toBe('prompt 8');
  });
});
