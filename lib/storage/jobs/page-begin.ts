import type { JobOrder } from '../../contract/resources/job.ts';
import type { JobListPage } from '../../jobs/job-store-port.ts';

/** Greater than every sequence. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/** The order of a page, and the sequence beyond which the page begins. */
interface PageBegin {
  readonly order: JobOrder;
  readonly edge: number;
}

/** Returns the order and the edge of a page. */
export function beginOf(page: JobListPage): PageBegin {
  return 'after' in page
    ? { order: 'oldest', edge: page.after }
    : { order: 'newest', edge: page.before ?? NEWEST };
}

/** The parts of SQL that depend on the order: the comparison of a sequence with the edge, and the sorting. */
export const ORDER_SQL = {
  newest: { beyond: '<', sorted: 'seq DESC' },
  oldest: { beyond: '>', sorted: 'seq' },
} as const satisfies Record<JobOrder, object>;
