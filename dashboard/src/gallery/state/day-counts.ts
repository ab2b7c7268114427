import { computed } from '@preact/signals';
import { type Api, unwrap } from '../../api/api.ts';
import { toJobQuery } from '../../jobs/job-filter.ts';
import type { CountedDay } from '../layout/day-spans.ts';
import { type CountDeps, createListCount } from './list-count.ts';

/** The delay between a change of a job and the next count, in milliseconds. */
const LATER_MS = 10_000;

interface Deps extends CountDeps {
  readonly api: Pick<Api, 'GET'>;
  /** Resolves when the total of the list has been read, which the page shows before the days. */
  readonly afterTotal: () => Promise<void>;
}

const NOTHING: readonly CountedDay[] = [];

/**
 * Counts the jobs of each day under the filter of the gallery, if the list has more jobs than its first page. Without counts, the list
 * is read from its beginning.
 */
export function createDayCounts(deps: Deps) {
  const { value } = createListCount<readonly CountedDay[]>(deps, {
    laterMs: LATER_MS,
    async read(filter, abort) {
      await deps.afterTotal();
      if (abort.aborted) return undefined;
      const query = {
        ...toJobQuery(filter),
        time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      };
      const { days } = await unwrap(
        deps.api.GET('/v1/jobs/days', { params: { query }, signal: abort }),
      );
      // The days begin where the headings of the gallery begin.
      return days.map(({ start, count }) => ({
        day: new Date(start * 1000).setHours(0, 0, 0, 0),
        count,
      }));
    },
  });
  return {
    days: computed(() => value.value ?? NOTHING),
    /** True if the days of the list have been counted. */
    isCounted: computed(() => value.value !== undefined),
  };
}
