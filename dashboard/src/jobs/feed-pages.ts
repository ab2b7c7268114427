import { batch, type ReadonlySignal } from '@preact/signals';
import { type Api, joined, unwrap } from '../api/api.ts';
import type { JobSummary } from '../api/schemas.ts';
import { LARGEST_PAGE, type toJobQuery } from './job-filter.ts';
import type { Jobs } from './jobs.ts';

export type FeedPages = ReturnType<typeof createFeedPages>;

type Query = ReturnType<typeof toJobQuery> & {
  readonly limit: number;
  readonly order?: 'oldest';
  readonly cursor?: string;
};

/** A page of the history that has been read. The page has the jobs from the next newer page down to the id `end`. */
interface FeedPage {
  readonly query: Query;
  readonly end: string;
  reading?: Promise<void>;
}

interface Deps {
  readonly api: Pick<Api, 'GET'>;
  readonly jobs: Pick<Jobs, 'get' | 'put' | 'forget' | 'hold'>;
  readonly list: {
    readonly ids: ReadonlySignal<readonly string[]>;
    readonly drop: (id: string) => void;
  };
  readonly abort: AbortSignal;
}

/** Jobs are read again when they are fewer than this number of jobs from the viewport. */
const AHEAD = 200;
/** Jobs are forgotten when they are more than this number of jobs from the viewport, which is beyond all pages that are read again. */
const KEPT = AHEAD + LARGEST_PAGE;

/**
 * Keeps the jobs near the viewport known. The list of the ids stays whole, because the layout and the selection use it. The other jobs
 * are forgotten, so that a long list needs little memory, and their pages are read again when the viewport approaches.
 */
export function createFeedPages({ api, jobs, list, abort }: Deps) {
  /** The pages, newest jobs first. */
  const pages: FeedPage[] = [];
  /** The ids of the first and the last job near the viewport. */
  let near: readonly [string, string] | undefined;

  /** Returns true if the summary of a listed job must be read again. */
  const isForgotten = (id: string) => jobs.get(id) === undefined;

  /** Requests a page of the history. */
  const request = (query: Query) =>
    jobs.hold(() => unwrap(api.GET('/v1/jobs', { params: { query }, signal: abort })));

  const pageOf = (id: string) => pages.find(({ end }) => id >= end) ?? pages.at(-1);

  async function readPage(page: FeedPage): Promise<void> {
    const isOldestFirst = page.query.order === 'oldest';
    let { cursor } = page.query;
    let rest = list.ids.peek().filter((id) => isForgotten(id) && pageOf(id) === page);
    let isPast = false;
    // Jobs that have joined the list since the first read have moved the last jobs of the page to the next page.
    while (rest.length > 0 && !isPast) {
      const query = { ...page.query, ...(cursor && { cursor }) };
      const { items, next_cursor } = await request(query);
      batch(() => {
        for (const job of items) jobs.put(job, true);
      });
      rest = rest.filter(isForgotten);
      cursor = next_cursor;
      const last = items.at(-1)?.id ?? '';
      const isBeyond = isOldestFirst ? last >= (rest[0] ?? '') : last <= (rest.at(-1) ?? '');
      isPast = cursor === undefined || isBeyond;
    }
    // The other jobs have left the list without an event.
    for (const id of rest) list.drop(id);
  }

  function read(page: FeedPage): Promise<void> {
    page.reading ??= jobs
      .hold(() => readPage(page))
      .finally(() => {
        delete page.reading;
      });
    return page.reading;
  }

  /** Returns the ids from the first to the last job near the viewport, and of `more` jobs on each side. */
  function around(more: number): readonly string[] {
    const ids = list.ids.peek();
    const [from, to] = near === undefined ? [-1, -1] : [ids.indexOf(near[0]), ids.indexOf(near[1])];
    return from < 0 || to < 0 ? [] : ids.slice(Math.max(0, from - more), to + 1 + more);
  }

  function forgetFar(): void {
    const kept = new Set(around(KEPT));
    if (kept.size > 0) jobs.forget((id) => kept.has(id));
  }

  const readNear = joined(async () => {
    const next = () => {
      const id = around(0).find(isForgotten) ?? around(AHEAD).find(isForgotten);
      return id === undefined ? undefined : pageOf(id);
    };
    try {
      for (let page = next(); page !== undefined; page = next()) {
        await read(page);
        // No job is forgotten during a read, and the reads of a long scroll follow each other.
        forgetFar();
      }
    } catch {
      // The next scroll reads on.
    }
  });

  return {
    request,
    /** Reads the forgotten jobs near the viewport, until a read fails. */
    readNear,

    /** Adds a page of jobs that are older than the others. */
    addOlder(query: Query, items: readonly JobSummary[]): void {
      const last = items.at(-1);
      if (last !== undefined) pages.push({ query, end: last.id });
    },

    /** Adds a page of jobs that are newer than the others, oldest first. */
    addNewer(query: Query, items: readonly JobSummary[]): void {
      const [last] = items;
      if (last !== undefined) pages.unshift({ query, end: last.id });
    },

    /** Reads the forgotten jobs near the viewport, and forgets the jobs far from it. `first` and `last` are the jobs in the viewport. */
    keepNear(first: string, last: string): void {
      near = [first, last];
      forgetFar();
      void readNear();
    },

    /** Reads those of these jobs again that were forgotten. The caller must use them at once, because the next scroll may forget them. */
    need(ids: readonly string[]): Promise<void> {
      return jobs.hold(async () => {
        const needed = new Set(ids.filter(isForgotten).map(pageOf));
        for (const page of needed) if (page !== undefined) await read(page);
      });
    },
  };
}
