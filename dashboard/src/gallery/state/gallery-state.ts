import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { JobFilter } from '../../jobs/job-filter.ts';
import type { Page } from '../../page.ts';
import { type Frame, layoutRows } from '../layout/row-layout.ts';
import { createArrivals } from './arrivals.ts';
import { readFilter } from './gallery-filter.ts';
import { createJobErrors } from './job-errors.ts';
import { createSelection } from './selection.ts';
import { createShapes } from './shapes.ts';
import { createShownFeed } from './shown-feed.ts';

export type GalleryState = ReturnType<typeof createGalleryState>;

/** What the gallery knows: the jobs that it shows, where they lie, which of them is focused and which are chosen. */
export function createGalleryState(page: Page) {
  const { filter, close: closeFilter } = watchFilter(page);
  const { feed, close: closeFeed } = createShownFeed(page, filter);
  const arrivals = createArrivals(computed(() => feed.value.ids.value));
  const shapes = createShapes(page.jobs, arrivals.isHolding);
  const selection = createSelection();
  const errors = createJobErrors(page.jobs);
  const frame = signal<Frame | undefined>(undefined);
  /** The card that the keyboard is on. */
  const cursor = signal<string | undefined>(undefined);
  let position = 0;

  const layout = computed(() => {
    void shapes.version.value;
    if (frame.value === undefined) return undefined;
    const list = arrivals.shown.value.map((id) => shapes.get(id));
    return layoutRows(
      list.filter((shape) => shape !== undefined),
      frame.value,
    );
  });

  const stop = effect(() => {
    const ids = arrivals.shown.value;
    selection.keep(ids);
    // After a card that was removed the one in its place is next; after the last one, the one before it.
    const at = cursor.value === undefined ? -1 : ids.indexOf(cursor.value);
    if (at >= 0) position = at;
    else cursor.value = ids[Math.min(position, ids.length - 1)];
  });

  return {
    filter,
    feed,
    arrivals,
    selection,
    errors,
    frame,
    layout,
    cursor,
    /** What a key acts on: what was chosen, else the focused card. */
    targets(): readonly string[] {
      const chosen = arrivals.shown.peek().filter((id) => selection.ids.peek().has(id));
      if (chosen.length > 0) return chosen;
      const focused = cursor.peek();
      return focused === undefined ? [] : [focused];
    },
    close(): void {
      stop();
      closeFeed();
      closeFilter();
      shapes.close();
    },
  };
}

/** The filter of the address while the images are in view; a job that lies over them has an address of its own. */
function watchFilter({ router }: Page) {
  const filter = signal<JobFilter>(readFilter(router.query.peek()));
  const close = effect(() => {
    if (router.route.value.view !== 'images') return;
    const next = readFilter(router.query.value);
    if (JSON.stringify(next) !== JSON.stringify(filter.peek())) filter.value = next;
  });
  return { filter: filter as ReadonlySignal<JobFilter>, close };
}
