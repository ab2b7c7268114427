import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, ApiError } from '../api/api.ts';
import type { JobSummary } from '../api/schemas.ts';
import { createFeedPages } from './feed-pages.ts';
import {
  EVERYTHING,
  type JobFilter,
  LARGEST_PAGE,
  matchesFilter,
  toJobQuery,
} from './job-filter.ts';
import type { Jobs } from './jobs.ts';
import type { FeedTop } from './newer-pages.ts';

export type JobFeed = ReturnType<typeof createJobFeed>;

/** The number of jobs on the first page, which is shown as soon as possible. */
const FIRST_PAGE = 60;
/** The maximum number of jobs that are read at once. */
const MAX_JOBS = 10_000;

/**
 * Creates a feed of the history under one filter, newest first, which is kept up to date until `close` is called. With `until`, in
 * Unix seconds, the feed begins with the newest job that was accepted before this time.
 */
export function createJobFeed(api: Api, jobs: Jobs, filter: JobFilter, until?: number) {
  /** Jobs above this end are not in the feed. Undefined if the feed has the newest jobs. */
  const top = signal<FeedTop | undefined>(until === undefined ? undefined : { until });
  const list = createJobList(jobs, filter, top);
  const state = signal<'loading' | 'ready' | 'failed'>('loading');
  const error = signal<ApiError | undefined>(undefined);
  const complete = signal(false);
  const controller = new AbortController();
  const { signal: abort } = controller;
  const pages = createFeedPages({ api, jobs, list, abort });
  let cursor: string | undefined;
  let reading: Promise<void> | undefined;

  async function readPage(): Promise<void> {
    const read = list.begin();
    // The view says that the page is being read again, instead of why the read before has failed.
    if (state.peek() === 'failed') state.value = 'loading';
    try {
      const query = toPageQuery(filter, until, cursor);
      const page = await pages.request(query);
      // The read has ended before the jobs are shown, because the views then decide whether they need the next page.
      reading = undefined;
      batch(() => {
        cursor = page.next_cursor;
        complete.value = cursor === undefined;
        state.value = 'ready';
        error.value = undefined;
        list.take(read, page.items, cursor === undefined);
        pages.addOlder(query, page.items);
      });
    } catch (failure) {
      list.forget(read);
      if (abort.aborted) return;
      reading = undefined;
      state.value = 'failed';
      error.value = ApiError.of(failure);
    }
  }

  function loadMore(): Promise<void> {
    if (complete.peek() && state.peek() === 'ready') return Promise.resolve();
    reading ??= readPage();
    return reading;
  }

  return {
    filter,
    ids: list.ids,
    state: state as ReadonlySignal<'loading' | 'ready' | 'failed'>,
    error: error as ReadonlySignal<ApiError | undefined>,
    complete: complete as ReadonlySignal<boolean>,
    top: top as ReadonlySignal<FeedTop | undefined>,
    until,
    /** Returns true if the feed has all jobs of its filter. */
    isWhole: () => top.peek() === undefined && complete.peek(),
    /** Reads the next page, or joins the read in progress. */
    loadMore,

    /** Reads pages of newer jobs until `count` more jobs are listed, beginning with the jobs next to the first of the list. */
    loadNewer: loadedLater(async () =>
      (await import('./newer-pages.ts')).createNewerReader(filter, { top, list, pages }),
    ),

    keepNear: pages.keepNear,
    readNear: pages.readNear,
    need: pages.need,

    /** Reads pages until `count` more jobs are listed, at most 10,000. Stops at a failure and when the feed is closed. */
    async loadMany(count = MAX_JOBS): Promise<void> {
      const most = Math.min(MAX_JOBS, list.ids.peek().length + count);
      do await loadMore();
      while (
        !(complete.peek() || abort.aborted) &&
        state.peek() === 'ready' &&
        list.ids.peek().length < most
      );
    },

    close(): void {
      list.close();
      controller.abort();
    },
  };
}

/** Returns a function whose code is loaded by the first call. If loading fails, the next call loads the code again. */
function loadedLater(load: () => Promise<(count: number) => Promise<void>>) {
  let loaded: ReturnType<typeof load> | undefined;
  return async (count = 1): Promise<void> => {
    loaded ??= load();
    try {
      await (await loaded)(count);
    } catch {
      loaded = undefined;
    }
  };
}

/** Returns the query for a page of the jobs of a filter that were accepted before a time, in Unix seconds. */
function toPageQuery(filter: JobFilter, until: number | undefined, cursor: string | undefined) {
  const query = toJobQuery(filter);
  const before = until && Math.min(until, query.created_before ?? until);
  return {
    limit: cursor === undefined ? FIRST_PAGE : LARGEST_PAGE,
    ...query,
    ...(before && { created_before: before }),
    ...(cursor && { cursor }),
  };
}

/** The ids that joined and left the list while a page was read. The changes are applied to the page afterwards. */
interface Meanwhile {
  readonly joined: Set<string>;
  readonly left: Set<string>;
}

/**
 * Keeps the ids of the jobs under one filter, newest first. The ids come from the pages of the history and from changes
 * that arrive between pages. Job ids are UUIDv7, so sorting the ids sorts the jobs by the time of acceptance.
 */
function createJobList(jobs: Jobs, filter: JobFilter, top: ReadonlySignal<FeedTop | undefined>) {
  const ids = signal<readonly string[]>([]);
  /** The part of the history that has been read. */
  let known: 'nothing' | 'part' | 'all' = 'nothing';
  const reads = new Set<Meanwhile>();
  let isTaking = false;

  const unsubscribe = jobs.subscribe((change) => {
    // Changes caused by a new page are ignored, because the bridge has already matched the full prompts of the jobs on that
    // page against the search.
    if (isTaking) return;
    if (change.kind === 'removed') drop(change.id);
    // The search is not checked for a listed job, because prompts never change.
    else if (!matchesFilter(change.job, { ...filter, search: '' })) drop(change.job.id);
    else if (matchesFilter(change.job, filter)) insert(change.job.id);
  });

  function drop(id: string): void {
    for (const { joined, left } of reads) {
      joined.delete(id);
      left.add(id);
    }
    if (ids.peek().includes(id)) ids.value = ids.peek().filter((each) => each !== id);
  }

  /** Inserts an id. A job older than the last page is skipped, because the job will arrive with a later page. */
  function insert(id: string): void {
    for (const { joined, left } of reads) {
      left.delete(id);
      joined.add(id);
    }
    const list = ids.peek();
    if (known === 'nothing' || list.includes(id) || isAbove(id)) return;
    const index = list.findIndex((each) => each < id);
    if (index >= 0) ids.value = list.toSpliced(index, 0, id);
    else if (known === 'all' || list.length === 0) ids.value = [...list, id];
  }

  /** Returns true if a job is newer than the jobs of this list. */
  function isAbove(id: string): boolean {
    const limit = top.peek();
    if (limit === undefined) return false;
    if (limit.lastId !== undefined) return id > limit.lastId;
    return (jobs.get(id)?.created ?? 0) >= limit.until;
  }

  /** Stores the jobs of a page, which are already in the list. */
  function store(page: readonly JobSummary[]): void {
    isTaking = true;
    for (const job of page) jobs.put(job, true);
    isTaking = false;
  }

  /** Adds the jobs of a page that are not in the list yet, and the jobs that joined the list while the page was read. */
  function add(read: Meanwhile, page: readonly JobSummary[], isNewer: boolean): void {
    reads.delete(read);
    const before = ids.peek();
    const present = new Set(before);
    const fresh = page.map(({ id }) => id).filter((id) => !(present.has(id) || read.left.has(id)));
    ids.value = isNewer ? [...fresh, ...before] : [...before, ...fresh];
    for (const id of read.joined) insert(id);
    store(page);
  }

  return {
    ids: ids as ReadonlySignal<readonly string[]>,
    drop,

    /** Must be called before a page is requested. The page is then taken, prepended or forgotten. */
    begin(): Meanwhile {
      const read = { joined: new Set<string>(), left: new Set<string>() };
      reads.add(read);
      return read;
    },

    /** Appends the requested page. `isLast` is true if no page follows. */
    take(read: Meanwhile, page: readonly JobSummary[], isLast: boolean): void {
      known = isLast ? 'all' : 'part';
      add(read, page, false);
    },

    /** Adds the requested page of jobs that are newer than the others. */
    prepend: (read: Meanwhile, page: readonly JobSummary[]) => add(read, page, true),

    /** Must be called if the requested page cannot be read. */
    forget: (read: Meanwhile) => void reads.delete(read),

    close: unsubscribe,
  };
}

/** Provides the list that determines the next and previous job: the gallery's list, or else a list of all jobs. */
export function createShownJobs(api: Api, jobs: Jobs) {
  const feed = signal<JobFeed | undefined>(undefined);
  let own: JobFeed | undefined;

  return {
    feed: feed as ReadonlySignal<JobFeed | undefined>,

    /** Uses the list of the gallery from now on. */
    follow(shown: JobFeed): void {
      own?.close();
      own = undefined;
      feed.value = shown;
    },

    /** Creates a list of all jobs if there is no list yet. */
    need(): void {
      if (feed.peek() !== undefined) return;
      own = createJobFeed(api, jobs, EVERYTHING);
      feed.value = own;
    },
  };
}
