import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { createSearchHistory } from '../../../../dashboard/src/gallery/search/search-history.ts';
import { EVERYTHING } from '../../../../dashboard/src/jobs/job-filter.ts';

function openHistory() {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  const token = signal<string | undefined>('first');
  return { history: createSearchHistory({ token }, storage), token, stored };
}

const search = (words: string, count = 1) => ({
  filter: { ...EVERYTHING, search: words },
  count,
  isMore: false,
});

describe('createSearchHistory', () => {
  it('moves an equal search to the front', () => {
    const { history } = openHistory();
    for (const each of [search('moon'), search('sea'), search('moon', 2)]) history.add(each);

    expect(history.searches.value).toEqual([search('moon', 2), search('sea')]);
  });

  it('shows the searches of another token only with that token', () => {
    const { history, token } = openHistory();
    history.add(search('moon'));
    token.value = 'second';
    const { value: ofSecond } = history.searches;
    token.value = 'first';

    expect(ofSecond).toEqual([]);
    expect(history.searches.value).toEqual([search('moon')]);
  });

  it('deletes the searches of a token that is forgotten', () => {
    const { history, token, stored } = openHistory();
    history.add(search('moon'));
    token.value = undefined;

    expect([...stored.keys()]).toEqual([]);
  });
});
