import { type ReadonlySignal, signal } from '@preact/signals';
import type { Connection } from '../../connection/connection.ts';
import { tokenPlace } from '../../connection/token-place.ts';
import { EVERYTHING, type JobFilter } from '../../jobs/job-filter.ts';
import { type JsonStorage, readJson, writeJson } from '../../shell/stored-json.ts';

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
export function createSearchHistory(connection: Pick<Connection, 'token'>, storage: JsonStorage) {
  const searches = signal<readonly EarlierSearch[]>([]);
  let place = '';

  connection.token.subscribe((token) => {
    // The searches of a forgotten token are deleted, as its draft is.
    if (token === undefined && place !== '') storage.removeItem(place);
    place = tokenPlace(PREFIX, token);
    searches.value = toSearches(readJson(storage, place));
  });

  return {
    /** The latest search first. */
    searches: searches as ReadonlySignal<readonly EarlierSearch[]>,

    /** Adds a search, or moves an equal search to the front. */
    add(search: EarlierSearch): void {
      const key = keyOf(search.filter);
      const others = searches.peek().filter(({ filter }) => keyOf(filter) !== key);
      searches.value = [search, ...others].slice(0, KEPT);
      writeJson(storage, place, searches.peek());
    },
  };
}

function keyOf(filter: JobFilter): string {
  return JSON.stringify(Object.entries({ ...EVERYTHING, ...filter }).toSorted());
}

function toSearches(kept: unknown): readonly EarlierSearch[] {
  if (!Array.isArray(kept)) return [];
  return kept.filter((each) => typeof each?.filter?.search === 'string').slice(0, KEPT);
}
