import { ArrowUp } from 'lucide';
import { useRef } from 'preact/hooks';
import { Button, Icon } from '../../controls/button.tsx';
import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { toFailureText } from '../../text/failure-text.ts';
import { formatDay, text } from '../../text/text.ts';
import { Card } from '../card/card.tsx';
import {
  boxStyle,
  type Day,
  type Layout,
  layoutRows,
  rowOf,
  tilesOf,
} from '../layout/row-layout.ts';
import { useGallery } from '../state/use-gallery.ts';
import { useFeedFocus, useFeedKeys } from './use-feed-keys.ts';
import { useFeedFrame, useFeedScroll } from './use-feed-scroll.ts';
import { useNearRows } from './use-near-rows.ts';
import './feed.css';
import '../states/skeletons.css';

const DateRail = lazyView(async () => (await import('../dates/date-rail.tsx')).DateRail);

/** Renders the cards in justified rows under the headings of their days. Only cards near the viewport are rendered. */
export function Feed() {
  const { state } = useGallery();
  const scroller = useRef<HTMLDivElement>(null);
  const viewport = useRef({ top: 0, height: 0 });
  const { value: layout } = state.layout;
  const { value: cursor } = state.cursor;
  useFeedFrame(scroller);
  useFeedScroll(scroller, viewport);
  useFeedFocus(scroller);
  useFeedKeys(scroller);
  const pinned = cursor === undefined ? undefined : layout && rowOf(layout, cursor);
  const { filter, state: reading, complete, top, keepNear } = state.feed.value;
  const isWhole = complete.value && top.value === undefined;
  const isCounting = !isWhole && state.days.value?.isCounted.value !== true;
  // The place of the dates is kept for searches that find few jobs and while days are counted, because another width moves all cards.
  const hasDates = useRef(false);
  if (!isWhole && !isCounting) hasDates.current = layout !== undefined && layout.spans.length > 1;
  const visible = useNearRows(scroller, viewport, { layout, filter, pinned, onNear: keepNear });
  const isLoading = reading.value === 'loading';
  return (
    <div class="feed-body">
      <div
        class="feed scroll"
        ref={scroller}
        tabIndex={-1}
        aria-busy={isLoading}
        data-scrolled={state.arrivals.isHolding.value}
      >
        <NewPill
          onPress={() => {
            state.arrivals.release();
            state.cursor.value = state.arrivals.shown.peek()[0];
            scroller.current?.scrollTo({ top: 0 });
          }}
        />
        {isLoading && layout?.rows.length === 0 && <Skeletons />}
        {layout && (
          <div class="feed-in" style={{ height: `${layout.height}px` }}>
            <Unread top={0} bottom={layout.readTop} />
            <Unread top={layout.readBottom} bottom={layout.height} />
            {layout.days.map((day) => {
              const rows = visible.filter((row) => row >= day.firstRow && row < day.endRow);
              return (
                rows.length > 0 && (
                  <DayOfCards key={day.day} day={day} rows={rows} layout={layout} />
                )
              );
            })}
          </div>
        )}
        <FailedPage />
      </div>
      {isCounting && hasDates.current && <i class="rail-place only-wide" />}
      {!isCounting && layout && (
        <DateRail
          scroller={scroller}
          spans={layout.spans}
          height={layout.height}
          keepsPlace={hasDates.current}
        />
      )}
    </div>
  );
}

/** Marks the place of cards that have not been read. */
function Unread({ top, bottom }: { readonly top: number; readonly bottom: number }) {
  const { state } = useGallery();
  const { value: frame } = state.frame;
  if (bottom <= top || frame === undefined) return null;
  const style = {
    top: `${top}px`,
    height: `${bottom - top}px`,
    '--row': `${frame.rowHeight}px`,
    '--gap': `${frame.gap}px`,
  };
  return <div class="unread" aria-hidden="true" style={style} />;
}

function FailedPage() {
  const { state } = useGallery();
  const { value: feed } = state.feed;
  const { value: error } = feed.error;
  if (feed.state.value !== 'failed' || error === undefined) return null;
  return (
    <p class="failed-page row" role="alert">
      {toFailureText(error, Date.now()).title}
      <Button size="small" onClick={() => void feed.loadMore()}>
        {text('action.retry')}
      </Button>
    </p>
  );
}

interface DayProps {
  readonly day: Day;
  readonly rows: readonly number[];
  readonly layout: Layout;
}

/**
 * Renders the cards of one day. The rows refer to their cards with `aria-owns`, so that a card keeps its element when
 * it moves to another row.
 */
function DayOfCards({ day, rows, layout }: DayProps) {
  const { today } = usePage();
  const { state } = useGallery();
  const { value: cursor } = state.cursor;
  const { value: picked } = state.selection.ids;
  const isWhole = state.selection.whole.value !== undefined;
  const { jobsOf } = state.folding;
  const title = formatDay(day.day / 1000, new Date(today.value));
  const id = `day-${day.day}`;
  const shown = rows.flatMap((index) => {
    const row = layout.rows[index];
    return row === undefined ? [] : { ...row, index, tiles: tilesOf(layout, row) };
  });
  return (
    <section
      class="day"
      style={{ top: `${day.top}px`, height: `${day.height}px` }}
      aria-labelledby={id}
    >
      <h2 id={id}>{title}</h2>
      <div
        role="grid"
        class="fill"
        aria-labelledby={id}
        aria-multiselectable
        aria-rowcount={day.endRow - day.firstRow}
      >
        {shown.map(({ index, tiles }) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the links in the cells can be focused
          <div
            key={index}
            role="row"
            aria-rowindex={index - day.firstRow + 1}
            aria-owns={tiles.map(({ id }) => `card-${id}`).join(' ')}
          />
        ))}
      </div>
      <div class="fill">
        {shown.flatMap(({ top, height, tiles }) =>
          tiles.map((tile) => (
            <Card
              key={tile.id}
              {...tile}
              top={top - day.top}
              height={height}
              isCursor={tile.id === cursor}
              isPicked={isWhole || jobsOf(tile.id).every((job) => picked.has(job))}
            />
          )),
        )}
      </div>
    </section>
  );
}

/** Shows the number of new jobs that are held back. A press shows the new jobs at the top of the feed. */
function NewPill({ onPress }: { readonly onPress: () => void }) {
  const { state } = useGallery();
  const { value: count } = state.arrivals.count;
  return (
    <div class="new-pill" role="status">
      {count > 0 && (
        <button type="button" class="float num" onClick={onPress}>
          <Icon of={ArrowUp} />
          {text('gallery.new', { count })}
        </button>
      )}
    </div>
  );
}

/** The ratios (width divided by height) of the placeholders, which are the ratios of typical images. */
const RATIOS = [1.5, 1, 1.5, 0.667, 1.5, 1, 0.667, 1.5, 1.778, 1, 1, 1.5, 1, 0.667, 1.5, 1.5];

/** Shows placeholders while the first page is loading. */
function Skeletons() {
  const { state } = useGallery();
  const { value: frame } = state.frame;
  if (frame === undefined) return null;
  const shapes = RATIOS.map((ratio, index) => ({ id: String(index), ratio, day: 0 }));
  const layout = layoutRows(shapes, frame);
  return (
    <div class="skeletons" role="status">
      <span class="sr">{text('gallery.loading')}</span>
      {layout.rows.flatMap((row) =>
        tilesOf(layout, row).map(({ id, left, width }) => (
          <i key={id} class="skeleton" style={boxStyle(left, row.top, width, row.height)} />
        )),
      )}
    </div>
  );
}
