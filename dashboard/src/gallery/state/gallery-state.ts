import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Api } from '../../api/api.ts';
import type { Connection } from '../../connection/connection.ts';
import type { JobFilter } from '../../jobs/job-filter.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Router } from '../../router.ts';
import { type Frame, layoutRows } from '../layout/row-layout.ts';
import { createArrivals } from './arrivals.ts';
import { readFilter } from './gallery-filter.ts';
import { createJobErrors } from './job-errors.ts';
import { createSelection } from './selection.ts';
import { createShapes } from './shapes.ts';
import { createShownFeed } from './shown-feed.ts';

interface Deps {
  readonly router: Router;
  readonly api: Api;
  readonly jobs: Jobs;
  readonly connection: Connection;
}

export type GalleryState = ReturnType<typeof createGalleryState>;

/** What the gallery knows: the jobs that it shows, where they lie, which of them is focused and which are chosen. */
export function createGalleryState(deps: Deps) {
  const filter = watchFilter(deps.router);
  const feed = createShownFeed(deps, filter);
  const arrivals = createArrivals(computed(() => feed.value.ids.value));
  const shapes = createShapes(deps.jobs, arrivals.isHolding);
  const selection = createSelection();
  const errors = createJobErrors(deps.jobs);
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

  effect(() => {
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
  };
}

/** The filter of the address while the images are in view; a job that lies over them has an address of its own. */
function watchFilter(router: Router): ReadonlySignal<JobFilter> {
  const filter = signal<JobFilter>(readFilter(router.query.peek()));
  effect(() => {
    if (router.route.value.view !== 'images') return;
    const next = readFilter(router.query.value);
    if (JSON.stringify(next) !== JSON.stringify(filter.peek())) filter.value = next;
  });
  return filter;
}
