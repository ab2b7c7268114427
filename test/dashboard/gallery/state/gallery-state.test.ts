import { describe, expect, it } from 'vitest';
import { isDefault, readFilter } from '../../../../dashboard/src/gallery/state/gallery-state.ts';

const read = (query: string) => readFilter(new URLSearchParams(query));

describe('readFilter', () => {
  it('takes the words, the part of the history, the state and the provider from the address', () => {
    expect(read('q=moon+%25&show=hidden&status=failed&provider=sandbox')).toEqual({
      search: 'moon %',
      show: 'hidden',
      status: 'failed',
      provider: 'sandbox',
    });
  });

  it('leaves out what it does not know', () => {
    expect(read('show=everything&status=lost&view=side')).toEqual(read(''));
  });
});

it('only an address without a filter shows everything', () => {
  expect(isDefault(read(''))).toBe(true);
  for (const query of ['q=a', 'show=favourites', 'status=queued', 'provider=sandbox']) {
    expect(isDefault(read(query))).toBe(false);
  }
});
