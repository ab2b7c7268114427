import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Api, ApiError, joined, unwrap } from '../api/api.ts';
import type { JobPage, JobSummary } from '../api/schemas.ts';
import { EVERYTHING, type JobFilter, matchesFilter, toJobQuery } from './job-filter.ts';
import type { Jobs } from './jobs.ts';

export type JobFeed = ReturnType<typeof createJobFeed>;

/** The number of jobs on the first page, which is shown as soon as possible. */
const FIRST_PAGE = 60;
/** The largest number of jobs on a page of the API. */
const LARGEST_PAGE = 100;
/** The maximum number of jobs that are read at once. */
const MOST_JOBS = 10_000;

/**
 * Creates a feed of the history under one filter, newest first, which is kept up to date until `close` is called. With `until`, in
 * Unix seconds, the feed begins with the newest job that was accepted before this time.
 */
export function createJobFeed(api: Api, jobs: Jobs, filter: JobFilter, until?: number) {
  /** Jobs that were accepted at this time or later are not in the feed. Undefined if the feed has the newest jobs. */
  const top = signal(until);
  const list = createJobList(jobs, filter, top);
  const state = signal<'loading' | 'ready' | 'failed'>('loading');
  const error = signal<ApiError | undefined>(undefined);
  const complete = signal(false);
  const total = signal<JobPage['total']>(undefined);
  const controller = new AbortController();
  let cursor: string | undefined;
  let reading: Promise<void> | undefined;

  async function readPage(): Promise<void> {
    try {
      // The total is counted once, because counting takes longer than reading a page.
      const wantsTotal = cursor === undefined && until === undefined;
      const query = {
        limit: cursor === undefined ? FIRST_PAGE : LARGEST_PAGE,
        ...(cursor && { cursor }),
        ...(wantsTotal && { total: true }),
        ...toQueryBefore(filter, until),
      };
      const { signal } = controller;
      list.begin();
      const page = await unwrap(api.GET('/v1/jobs', { params: { query }, signal }));
      // The read has ended before the jobs are shown, because the views then decide whether they need the next page.
      reading = undefined;
      batch(() => {
        cursor = page.next_cursor;
        complete.value = cursor === undefined;
        state.value = 'ready';
        error.value = undefined;
        if (page.total !== undefined) total.value = page.total;
        list.take(page.items, cursor === undefined);
      });
    } catch (failure) {
      if (controller.signal.aborted) return;
      reading = undefined;
      state.value = 'failed';
      error.value = ApiError.of(failure);
    }
  }

  const readNewer = createNewerReader(api, filter, { top, list, signal: controller.signal });

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
    /** The number of jobs of the list, also on pages that have not been read. Undefined until the first page is read. */
    total: total as ReadonlySignal<JobPage['total']>,
    top: top as ReadonlySignal<number | undefined>,
    /** Returns true if the feed has all jobs of its filter. */
    isWhole: () => top.peek() === undefined && complete.peek(),
    /** Reads the next page, or joins the read in progress. */
    loadMore,

    /**
     * Reads the newer jobs that were accepted before a time in Unix seconds, or all newer jobs, and adds them before the others.
     */
    loadNewer: readNewer,

    /** Reads pages until `count` more jobs are listed, at most 10,000. Stops at a failure and when the feed is closed. */
    async loadMany(count = MOST_JOBS): Promise<void> {
      const most = Math.min(MOST_JOBS, list.ids.peek().length + count);
      do await loadMore();
      while (
        !(complete.peek() || controller.signal.aborted) &&
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

/** Returns the query for the jobs of a filter that were accepted before a time, in Unix seconds. */
function toQueryBefore(filter: JobFilter, secs: number | undefined) {
  const query = toJobQuery(filter);
  if (secs === undefined) return query;
  return { ...query, created_before: Math.min(secs, query.created_before ?? secs) };
}

interface NewerReaderParts {
  readonly top: Signal<number | undefined>;
  readonly list: Pick<ReturnType<typeof createJobList>, 'prepend'>;
  readonly signal: AbortSignal;
}

/** Creates the function that reads jobs above a feed. A call during a read joins this read. */
function createNewerReader(
  api: Api,
  filter: JobFilter,
  { top, list, signal: abort }: NewerReaderParts,
) {
  let until: number | undefined;

  /** Reads the jobs that were accepted at the time `from` or later, and before `end`. */
  async function readRange(from: number, end: number | undefined): Promise<JobSummary[]> {
    const items: JobSummary[] = [];
    for (let cursor: string | undefined; ; ) {
      const query = {
        ...toQueryBefore(filter, end),
        limit: LARGEST_PAGE,
        created_after: from,
        ...(cursor && { cursor }),
      };
      const page = await unwrap(api.GET('/v1/jobs', { params: { query }, signal: abort }));
      items.push(...page.items);
      cursor = page.next_cursor;
      if (cursor === undefined || items.length >= MOST_JOBS) return items;
    }
  }

  const read = joined(async () => {
    const from = top.peek();
    const end = until;
    if (from === undefined || (end !== undefined && end <= from)) return;
    try {
      const items = await readRange(from, end);
      batch(() => {
        list.prepend(items);
        top.value = end;
      });
    } catch {
      // The next scroll reads the day again.
    }
  });

  return (end: number | undefined): Promise<void> => {
    until = end;
    return read();
  };
}

/**
 * Keeps the ids of the jobs under one filter, newest first. The ids come from the pages of the history and from changes
 * that arrive between pages. Job ids are UUIDv7, so sorting the ids sorts the jobs by the time of acceptance.
 */
function createJobList(jobs: Jobs, filter: JobFilter, top: ReadonlySignal<number | undefined>) {
  const ids = signal<readonly string[]>([]);
  /** The part of the history that has been read. */
  let known: 'nothing' | 'part' | 'all' = 'nothing';
  /** The ids that joined and left the list while a page was read. The changes are applied to the page afterwards. */
  let meanwhile: { readonly joined: Set<string>; readonly left: Set<string> } | undefined;
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
    meanwhile?.joined.delete(id);
    meanwhile?.left.add(id);
    if (ids.peek().includes(id)) ids.value = ids.peek().filter((each) => each !== id);
  }

  /** Inserts an id. A job older than the last page is skipped, because the job will arrive with a later page. */
  function insert(id: string): void {
    meanwhile?.left.delete(id);
    meanwhile?.joined.add(id);
    const list = ids.peek();
    if (known === 'nothing' || list.includes(id) || isAbove(id)) return;
    const index = list.findIndex((each) => each < id);
    if (index >= 0) ids.value = list.toSpliced(index, 0, id);
    else if (known === 'all' || list.length === 0) ids.value = [...list, id];
  }

  /** Returns true if a job is newer than the jobs of this list. */
  function isAbove(id: string): boolean {
    const { value: limit } = top;
    const created = jobs.get(id)?.peek().created;
    return limit !== undefined && created !== undefined && created >= limit;
  }

  /** Stores the jobs of a page, which are already in the list. */
  function store(page: readonly JobSummary[]): void {
    isTaking = true;
    for (const job of page) jobs.put(job);
    isTaking = false;
  }

  return {
    ids: ids as ReadonlySignal<readonly string[]>,

    /** Adds jobs that are newer than the others. */
    prepend(page: readonly JobSummary[]): void {
      const present = new Set(ids.peek());
      ids.value = [...page.map(({ id }) => id).filter((id) => !present.has(id)), ...ids.peek()];
      store(page);
    },

    /** Must be called before a page is requested. */
    begin(): void {
      meanwhile = { joined: new Set(), left: new Set() };
    },

    /** Appends the requested page. `isLast` is true if no page follows. */
    take(page: readonly JobSummary[], isLast: boolean): void {
      const { joined, left } = meanwhile ?? { joined: new Set<string>(), left: new Set<string>() };
      meanwhile = undefined;
      known = isLast ? 'all' : 'part';
      const before = new Set(ids.peek());
      const fresh = page.map(({ id }) => id).filter((id) => !before.has(id) && !left.has(id));
      ids.value = [...ids.peek(), ...fresh];
      for (const id of joined) insert(id);
      store(page);
    },

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
