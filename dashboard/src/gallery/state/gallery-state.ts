import {
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  untracked,
} from '@preact/signals';
import type { Api } from '../../api/api.ts';
import type { BridgeError } from '../../api/schemas.ts';
import type { Connection } from '../../connection/connection.ts';
import { createJobFeed, type JobFeed } from '../../jobs/job-feed.ts';
import { isDefault, type JobFilter } from '../../jobs/job-filter.ts';
import { wasCancelledWaiting } from '../../jobs/job-state.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Total } from '../../jobs/read-total.ts';
import type { Router } from '../../router.ts';
import { painted } from '../../shell/painted.ts';
import type { WholeLayout } from '../layout/day-spans.ts';
import { type Frame, layoutRows } from '../layout/row-layout.ts';
import { createSearchHistory } from '../search/search-history.ts';
import type { createDays, Days } from './days.ts';
import { watchFilter } from './filter-address.ts';
import { createFolding, type Folding } from './folding.ts';
import { createSelection, type Selection } from './selection.ts';
import { createShapes } from './shapes.ts';
import { createViewCounts } from './view-counts.ts';

interface Deps {
  readonly router: Router;
  readonly api: Api;
  readonly jobs: Jobs;
  readonly connection: Connection;
}

export type GalleryState = ReturnType<typeof createGalleryState>;

/** Creates the state of the gallery: the visible jobs, their layout, the focused card and the selection. */
export function createGalleryState(deps: Deps) {
  const filter = watchFilter(deps.router);
  const { shown: feed, openAt, lastMs } = createShownFeed(deps, filter);
  const waiting = createWaiting(deps.jobs, filter);
  const arrivals = createArrivals(
    computed(() => {
      const { value: folded } = waiting.folded;
      const { value: ids } = feed.value.ids;
      return folded.size === 0 ? ids : ids.filter((id) => !folded.has(id));
    }),
    computed(() => feed.value.top.value === undefined),
    (id) => isNews(deps.jobs, id),
  );
  const shapes = createShapes(deps.jobs, arrivals.isHolding);
  const folding = createFolding({ feed, shown: arrivals.shown, shapes });
  const selection = createSelection(folding.jobsOf);
  const errors = createJobErrors(deps.jobs);
  const counts = createViewCounts(deps);
  const history = createSearchHistory(deps.connection, sessionStorage);
  const frame = signal<Frame | undefined>(undefined);

  const layout = computed((): WholeLayout | undefined => {
    if (frame.value === undefined) return undefined;
    const cards = folding.shapes();
    if (days.value) return days.value.layOut(cards, frame.value);
    const rows = layoutRows(cards, frame.value);
    return { ...rows, spans: [], readTop: 0, readBottom: rows.height, hasNewest: true };
  });
  const days = loadDays({ ...deps, filter, feed, layout, openAt });
  const total = computed((): Total | undefined => {
    const { ids, complete, top } = feed.value;
    const isWhole = complete.value && top.value === undefined;
    return isWhole ? { count: ids.value.length, at_least: false } : days.value?.total.value;
  });
  const cursor = followList(feed, arrivals.shown, folding, selection);
  followConnection(feed, selection, deps.connection);

  effect(() => {
    // The number of matching jobs is shown with the number of all jobs, which is counted after the matching jobs.
    if (!isDefault(feed.value.filter) && total.value !== undefined) counts.need();
  });

  effect(() => {
    // If the pages that were read contain only waiting jobs without cards, the images are on later pages.
    const { state, complete, loadMore } = feed.value;
    const isEmpty = arrivals.shown.value.length === 0;
    if (!isEmpty || state.value !== 'ready' || complete.value) return;
    void loadMore();
  });

  return {
    filter,
    feed,
    waiting,
    arrivals,
    shapes,
    folding,
    selection,
    errors,
    /** The numbers of jobs of the common views and of the labels. */
    counts,
    /** The earlier searches of this tab. */
    history,
    /** The number of jobs under the filter. Undefined until the jobs have been counted. */
    total,
    /** Counts the list, and reads the list by its days. Undefined until the code is loaded. */
    days,
    /** The time between the last change of the filter and the cards that it shows, in milliseconds. */
    lastMs,
    frame,
    layout,
    /** The id of the card that has the keyboard focus. */
    cursor,
    /** Returns the ids of the selected jobs, or the ids of the jobs of the focused card if no job is selected. */
    targets(): readonly string[] {
      // Ids are in the order of acceptance.
      const chosen = [...selection.ids.peek()].toSorted().toReversed();
      if (chosen.length > 0) return chosen;
      const focused = cursor.peek();
      return focused === undefined ? [] : folding.jobsOf(focused);
    },
  };
}

/** Loads the code that lays out the list by its days after the first page is shown, or when the bridge is reachable again. */
function loadDays(parts: Parameters<typeof createDays>[0]): ReadonlySignal<Days | undefined> {
  const days = signal<Days | undefined>(undefined);
  effect(() => {
    void parts.connection.returns.value;
    if (days.peek() !== undefined || parts.feed.value.state.value !== 'ready') return;
    import('./days.ts').then(
      ({ createDays: create }) => {
        if (days.peek() === undefined) days.value = create(parts);
      },
      () => {},
    );
  });
  return days;
}

/** Keeps the selection and the focused card consistent with the list. Returns the id of the focused card. */
function followList(
  feed: ReadonlySignal<JobFeed>,
  shown: ReadonlySignal<readonly string[]>,
  folding: Folding,
  selection: Selection,
): Signal<string | undefined> {
  const cursor = signal<string | undefined>(undefined);
  let position = 0;
  let listed: { readonly feed: JobFeed; readonly ids: readonly string[] } = {
    feed: feed.peek(),
    ids: [],
  };
  effect(() => {
    const [current, ids] = [feed.value, shown.value];
    const isOther = current.filter !== listed.feed.filter;
    // After a jump to another day, selected cards of other days stay selected.
    const before = current === listed.feed ? listed.ids : [];
    listed = { feed: current, ids };
    // A whole list is selected under its filter, so another list ends the selection.
    if (isOther && selection.whole.peek() !== undefined) selection.clear();
    selection.keep(ids, isOther ? undefined : before);
    // If the focused card is removed, the focus moves to the card that takes its position, or else to the last card. Another list begins
    // with its first card.
    if (isOther) position = 0;
    const { value: cards } = folding.cards;
    const card = cursor.value && folding.cardOf(cursor.value);
    const at = card === undefined ? -1 : cards.indexOf(card);
    if (at >= 0) position = at;
    cursor.value = at >= 0 ? card : cards[Math.min(position, cards.length - 1)];
  });
  return cursor;
}

/** Clears the selection of another token, and reads the selected jobs that were forgotten, on whose states the actions depend. */
function followConnection(
  feed: ReadonlySignal<JobFeed>,
  selection: Selection,
  { token, returns }: Connection,
): void {
  effect(() => {
    // The selection belongs to the token, as the history does.
    void token.value;
    selection.clear();
  });
  effect(() => {
    void returns.value;
    const selected = [...selection.ids.value];
    // After a failure, an action reads the jobs, or shows why they cannot be read.
    untracked(() =>
      feed
        .peek()
        .need(selected)
        .catch(() => {}),
    );
  });
}

/** The largest number of waiting jobs that have cards. More waiting jobs are one row above the images. */
const MAX_WAITING_CARDS = 4;

/** Counts the jobs that wait in the queue, and decides which of them have no cards. */
function createWaiting(jobs: Jobs, filter: ReadonlySignal<JobFilter>) {
  // A text stays equal while other changes of open jobs arrive, so that the cards are not laid out again.
  const key = computed(() =>
    [...jobs.open.value.values()]
      .filter(({ status }) => status === 'queued')
      .map(({ id }) => id)
      .join(' '),
  );
  const ids = computed(() => new Set(key.value === '' ? [] : key.value.split(' ')));
  const nothing: ReadonlySet<string> = new Set();
  return {
    /** The number of waiting jobs. */
    count: computed(() => ids.value.size),
    /** The ids of the jobs without cards. A list of the waiting jobs shows all their cards. */
    folded: computed(() => {
      const isFolded = ids.value.size > MAX_WAITING_CARDS && filter.value.status === undefined;
      return isFolded ? ids.value : nothing;
    }),
  };
}

/** Returns true unless a new job was cancelled while it waited. */
function isNews(jobs: Jobs, id: string): boolean {
  // A job that is cancelled while it waits leaves the open jobs.
  void jobs.open.value;
  const job = jobs.get(id);
  return job === undefined || !wasCancelledWaiting(job);
}

const KEPT = 500;

/** Reads the errors of failed jobs, because lists contain only the error code. Keeps the latest 500 errors. */
function createJobErrors(jobs: Jobs) {
  const errors = new Map<string, Signal<BridgeError | undefined>>();

  async function read(id: string, error: Signal<BridgeError | undefined>): Promise<void> {
    try {
      error.value = (await jobs.read(id)).error;
    } catch {
      // The card shows only the text for the error code until the error is read again.
      errors.delete(id);
    }
  }

  return {
    /** Returns a signal of the error, which is undefined until the error has been read. */
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

/** Creates the feed under the current filter. The previous feed stays visible until the new feed has loaded. */
function createShownFeed({ api, jobs, connection }: Deps, filter: ReadonlySignal<JobFilter>) {
  const shown = signal(createJobFeed(api, jobs, filter.peek()));
  let coming: JobFeed | undefined;
  let first = true;
  let lastMs = 0;
  void shown.peek().loadMore();

  /** Replaces the shown feed when the first page of the next feed has been read. */
  async function replace(feed: JobFeed): Promise<void> {
    coming?.close();
    coming = feed;
    const startMs = performance.now();
    await feed.loadMore();
    if (feed !== coming) return;
    coming = undefined;
    shown.peek().close();
    shown.value = feed;
    await painted();
    lastMs = performance.now() - startMs;
  }

  effect(() => {
    // The history belongs to the token, so a new feed is created when the token changes.
    void [filter.value, connection.token.value];
    if (first) {
      first = false;
      return;
    }
    void replace(createJobFeed(api, jobs, filter.peek()));
  });
  effect(() => {
    void connection.returns.value;
    if (shown.peek().state.peek() === 'failed') void shown.peek().loadMore();
    void shown.peek().readNear();
  });

  return {
    shown: shown as ReadonlySignal<JobFeed>,
    lastMs: () => lastMs,
    /** Shows the jobs under the filter that were accepted before a time, in Unix seconds. */
    openAt(until: number | undefined): Promise<void> {
      return replace(createJobFeed(api, jobs, shown.peek().filter, until));
    },
  };
}

/**
 * Holds back new jobs while the gallery is scrolled down. `ids` must be in descending order. While `hasNewest` is false, jobs at the
 * beginning are not new, but those of the days above, which the gallery reads. `isNews` returns true for the jobs that are counted.
 */
export function createArrivals(
  ids: ReadonlySignal<readonly string[]>,
  hasNewest: ReadonlySignal<boolean> = signal(true),
  isNews: (id: string) => boolean = () => true,
) {
  const newest = signal<string | undefined>(undefined);
  const isHolding = signal(false);
  effect(() => {
    if (!hasNewest.value) newest.value = undefined;
    // The newest jobs of the list were read while the gallery was scrolled down.
    else if (isHolding.peek()) newest.value = newest.peek() ?? ids.peek()[0];
  });
  const held = computed(() => {
    const { value: limit } = newest;
    if (limit === undefined) return 0;
    const from = ids.value.findIndex((id) => id <= limit);
    return from < 0 ? 0 : from;
  });
  return {
    /** The ids to show. */
    shown: computed(() => (held.value === 0 ? ids.value : ids.value.slice(held.value))),
    /** The number of jobs that are held back and are news. */
    count: computed(() => ids.value.slice(0, held.value).filter(isNews).length),

    /** True while the gallery is scrolled down, so that new jobs are held back. */
    isHolding: isHolding as ReadonlySignal<boolean>,

    hold(): void {
      if (hasNewest.peek()) newest.value ??= ids.peek()[0];
      isHolding.value = true;
    },
    release(): void {
      newest.value = undefined;
      isHolding.value = false;
    },
  };
}
