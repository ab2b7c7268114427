import { isDefault } from '../../jobs/job-filter.ts';
import type { Total } from '../../jobs/read-total.ts';
import { usePage } from '../../page-context.ts';
import { formatNumber, text } from '../../text/text.ts';
import { CLEARED } from '../state/filter-address.ts';
import { useGallery } from '../state/use-gallery.ts';
import { STEP } from './filter-group.tsx';

/** Shows how many jobs match, and of how many. Screen readers announce the number after each search. */
export function FoundCount() {
  const { router } = usePage();
  const { state } = useGallery();
  const { value: feed } = state.feed;
  const { value: total } = state.total;
  const isAll = isDefault(feed.filter);
  const of = isAll ? undefined : state.counts.views.value.all;
  return (
    <p class="found-count num row" role="status">
      {total && (
        <span>
          <b>{countText(total, isAll)}</b>
          {of && ` ${text('gallery.foundOf', { total: formatTotal(of) })}`}
        </span>
      )}
      {!isAll && (
        <button type="button" class="text-button" onClick={() => router.setQuery(CLEARED, STEP)}>
          {text('gallery.clearFilters')}
        </button>
      )}
    </p>
  );
}

function countText({ count, at_least: isMore }: Total, isAll: boolean): string {
  return isAll
    ? text(isMore ? 'gallery.countMore' : 'gallery.count', { count })
    : text(isMore ? 'gallery.foundMore' : 'gallery.found', { count });
}

/** Formats a number of jobs that may be a lower bound. */
export function formatTotal({ count, at_least }: Total): string {
  return formatNumber(count) + (at_least ? '+' : '');
}
