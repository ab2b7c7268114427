import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Api } from '../../api/api.ts';
import type { BridgeError } from '../../api/schemas.ts';
import type { Connection } from '../../connection/connection.ts';
import { JOB_STATUSES, type JobFilter } from '../../jobs/job-filter.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Router } from '../../router.ts';
import { type Frame, layoutRows } from '../layout/row-layout.ts';
import { createSelection } from './selection.ts';
import { createShapes } from './shapes.ts';
import { createArrivals, createShownFeed } from './shown-feed.ts';

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

/** The filter that the address names. What it does not know is left out. */
export function readFilter(query: URLSearchParams): JobFilter {
  const show = query.get('show');
  const status = query.get('status');
  return {
    search: query.get('q') ?? '',
    show: show === 'favourites' || show === 'hidden' ? show : 'all',
    status: JOB_STATUSES.find((each) => each === status),
    provider: query.get('provider') ?? undefined,
  };
}

/** Whether it shows everything. */
export function isDefault({ search, show, status, provider }: JobFilter): boolean {
  return search === '' && show === 'all' && status === undefined && provider === undefined;
}

/** The changes of the query that clear it. */
export const CLEARED = { q: undefined, show: undefined, status: undefined, provider: undefined };

const KEPT = 500;

/** Why jobs failed: lists hold only the code, so that a card reads the rest once it is seen. Keeps the latest 500. */
function createJobErrors(jobs: Jobs) {
  const errors = new Map<string, Signal<BridgeError | undefined>>();

  async function read(id: string, error: Signal<BridgeError | undefined>): Promise<void> {
    try {
      error.value = (await jobs.read(id)).error;
    } catch {
      // The code has to do; the card asks again when it is seen again.
      errors.delete(id);
    }
  }

  return {
    /** `undefined` until it is known. */
    get(id: string): ReadonlySignal<BridgeError | undefined> {
      let error = errors.get(id);
      if (error === undefined) {
        error = signal<BridgeError | undefined>(undefined);
        errors.set(id, error);
        const [oldest] = errors.keys();
        if (errors.size > KEPT && oldest !== undefined) errors.delete(oldest);
        void read(id, error);
      }
      return error;
    },
  };
}
