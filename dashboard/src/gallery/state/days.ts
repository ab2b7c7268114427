import { computed, type ReadonlySignal } from '@preact/signals';
import type { Api } from '../../api/api.ts';
import type { Connection } from '../../connection/connection.ts';
import type { JobFeed } from '../../jobs/job-feed.ts';
import type { JobFilter } from '../../jobs/job-filter.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import {
  addUnread,
  endOfDay,
  placeIn,
  spanAt,
  sumCounts,
  type WholeLayout,
} from '../layout/day-spans.ts';
import { type Frame, layoutRows, type Shape } from '../layout/row-layout.ts';
import { upwardRows, withoutOpenRow } from '../layout/upward-rows.ts';
import { createDayCounts } from './day-counts.ts';
import { createListTotal } from './list-total.ts';

interface Deps {
  readonly api: Api;
  readonly jobs: Jobs;
  readonly connection: Connection;
  readonly filter: ReadonlySignal<JobFilter>;
  readonly feed: ReadonlySignal<JobFeed>;
  readonly layout: ReadonlySignal<WholeLayout | undefined>;
  /** Shows the jobs that were accepted before a time, in Unix seconds. */
  readonly openAt: (until: number | undefined) => Promise<void>;
}

export type Days = ReturnType<typeof createDays>;

/**
 * Counts the list and its days, lays out the gallery with the days that have not been read, and reads a part of the list by its days.
 */
export function createDays({ layout, openAt, ...deps }: Deps) {
  const { feed } = deps;
  const total = createListTotal(deps);
  const { days: counts, isCounted } = createDayCounts({ ...deps, afterTotal: total.settled });
  const countOf = computed(() => new Map(counts.value.map(({ day, count }) => [day, count])));

  /** Returns the end of a day in Unix seconds. Undefined for the newest day, after which further jobs may be accepted. */
  function endOf(day: number): number | undefined {
    return counts.peek().some((each) => each.day > day) ? endOfDay(day) : undefined;
  }

  /** Shows the jobs of a day and of the days before it. `day` is its beginning in Unix milliseconds. */
  const goToDay = (day: number): Promise<void> => openAt(endOf(day));

  return {
    /** The number of jobs of the list, also on pages that have not been read. Undefined until the jobs have been counted. */
    total: total.value,
    /** True if the days of the list have been counted. */
    isCounted,
    goToDay,
    placeIn,

    /** Returns the layout of cards, newest first, and of the days that have not been read. */
    layOut(cards: readonly Shape[], frame: Frame): WholeLayout {
      const { until = Number.POSITIVE_INFINITY, top, complete } = feed.value;
      const isUpward = (day: number) => day >= until * 1000;
      const reading = { hasNewest: top.value === undefined, hasOldest: complete.value, isUpward };
      const first = cards[0]?.day ?? 0;
      const ofFirst = cards.findIndex(({ day }) => day !== first);
      const end = ofFirst < 0 ? cards.length : ofFirst;
      const read = sumCounts(cards.slice(0, end));
      const isPart =
        !reading.hasNewest && isUpward(first) && read < (countOf.value.get(first) ?? read + 1);
      const shown = isPart ? withoutOpenRow(cards, end, frame) : cards;
      const rows = layoutRows(shown, frame, (shapes, from, to) => {
        if (!isUpward(shapes[from]?.day ?? 0)) return undefined;
        return { ends: upwardRows(shapes, from, to, frame), isWhole: !(isPart && from === 0) };
      });
      return addUnread(rows, counts.value, reading, frame);
    },

    /**
     * Reads the place in the viewport, which is far from the cards that have been read. A day that has been read in part is read on,
     * upwards or downwards.
     */
    async jump(element: HTMLElement): Promise<void> {
      const { spans = [], readTop = 0, readBottom = 0 } = layout.peek() ?? {};
      const y = element.scrollTop + element.clientHeight / 3;
      const span = spanAt(spans, y);
      if (span === undefined) return;
      const countTo = (px: number) =>
        Math.ceil(((px + element.clientHeight) / span.height) * span.count);
      if (span.top < readBottom && y > readBottom) {
        await feed.peek().loadMany(countTo(y - readBottom));
        return;
      }
      if (y < readTop && readTop - y <= y - span.top) {
        await feed.peek().loadNewer(countTo(readTop - y));
        return;
      }
      await goToDay(span.day);
    },
  };
}
