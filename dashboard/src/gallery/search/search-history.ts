import { type ReadonlySignal, signal } from '@preact/signals';
import type { Connection } from '../../connection/connection.ts';
import { tokenPlace } from '../../connection/token-place.ts';
import { EVERYTHING, type JobFilter } from '../../jobs/job-filter.ts';

/** A search that was made before. */
export interface EarlierSearch {
  readonly filter: JobFilter;
  /** The number of jobs that it found. */
  readonly count: number;
  readonly isMore: boolean;
}

const KEPT = 12;
const PREFIX = 'image-bridge.searches.';

/**
 * Keeps the latest searches of this caller in the session storage of the tab, because another person may use the browser later.
 * The searches of another token are not shown.
 */
export function createSearchHistory(
  connection: Pick<Connection, 'token'>,
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
) {
  const searches = signal<readonly EarlierSearch[]>([]);
  let place = '';

  connection.token.subscribe((token) => {
    // The searches of a forgotten token are deleted, as its draft is.
    if (token === undefined && place !== '') storage.removeItem(place);
    place = tokenPlace(PREFIX, token);
    searches.value = parse(storage.getItem(place));
  });

  return {
    /** The latest search first. */
    searches: searches as ReadonlySignal<readonly EarlierSearch[]>,

    /** Adds a search, or moves an equal search to the front. */
    add(search: EarlierSearch): void {
      const key = keyOf(search.filter);
      const others = searches.peek().filter(({ filter }) => keyOf(filter) !== key);
      searches.value = [search, ...others].slice(0, KEPT);
      try {
        storage.setItem(place, JSON.stringify(searches.peek()));
      } catch {
        // Without room in the storage, the searches are kept until the tab is closed.
      }
    },
  };
}

function keyOf(filter: JobFilter): string {
  return JSON.stringify(Object.entries({ ...EVERYTHING, ...filter }).toSorted());
}

function parse(kept: string | null): readonly EarlierSearch[] {
  try {
    const list: unknown = JSON.parse(kept ?? '[]');
    if (!Array.isArray(list)) return [];
    return list.filter((each) => typeof each?.filter?.search === 'string').slice(0, KEPT);
  } catch {
    return [];
  }
}
