import { describe, expect, it } from 'vitest';
import { readFilter } from '../../../../dashboard/src/gallery/state/filter-address.ts';
import { isDefault } from '../../../../dashboard/src/jobs/job-filter.ts';

const read = (query: string) => readFilter(new URLSearchParams(query));

describe('readFilter', () => {
  it('reads the search, the part of the history, the state and the provider from the address', () => {
    expect(read('q=moon+%25&show=hidden&status=failed&provider=sandbox')).toEqual({
      search: 'moon %',
      show: 'hidden',
      status: 'failed',
      provider: 'sandbox',
    });
  });

  it('ignores unknown values', () => {
    expect(read('show=everything&status=lost&view=side')).toEqual(read(''));
  });
});

it('isDefault is true only for an address without a filter', () => {
  expect(isDefault(read(''))).toBe(true);
  for (const query of ['q=a', 'show=favourites', 'status=queued', 'provider=sandbox']) {
    expect(isDefault(read(query))).toBe(false);
  }
});
