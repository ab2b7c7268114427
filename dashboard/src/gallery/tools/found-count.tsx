import { isDefault } from '../../jobs/job-filter.ts';
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
  if (total === undefined) return <p class="found-count" role="status" />;
  const count = total.count;
  const isMore = total.at_least;
  const of = isAll ? undefined : state.counts.views.value.all;
  return (
    <p class="found-count num row" role="status">
      <span>
        <b>
          {isAll
            ? text(isMore ? 'gallery.countMore' : 'gallery.count', { count })
            : text(isMore ? 'gallery.foundMore' : 'gallery.found', { count })}
        </b>
        {of && ` ${text('gallery.foundOf', { total: formatTotal(of) })}`}
      </span>
      {!isAll && (
        <button type="button" class="text-button" onClick={() => router.setQuery(CLEARED, STEP)}>
          {text('gallery.clearFilters')}
        </button>
      )}
    </p>
  );
}

/** Formats a number of jobs that may be a lower bound. */
export function formatTotal({ count, at_least }: { count: number; at_least: boolean }): string {
  return formatNumber(count) + (at_least ? '+' : '');
}
