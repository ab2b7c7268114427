import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import type { ImageResponse, Job, JobSummary } from '../api/schemas.ts';
import type { JobChange } from './job-change.ts';
import { isOpen } from './job-state.ts';

export type Jobs = ReturnType<typeof createJobs>;

/** More than are removed while a reply is on its way. */
const MOST_REMOVED = 10_000;

/** The jobs that the page knows, and what can be done to them. Lists of them are feeds (`job-feed.ts`). */
export function createJobs(api: Api) {
  const known = new Map<string, Signal<JobSummary>>();
  const listeners = new Set<(change: JobChange) => void>();
  const open = signal<ReadonlyMap<string, JobSummary>>(new Map());
  /** A reply that was on its way when a job was removed must not bring it back: the latest of them, the oldest first. */
  const removed = new Set<string>();

  function countOpen(job: JobSummary): void {
    if (!isOpen(job) && !open.peek().has(job.id)) return;
    const next = new Map(open.peek());
    if (isOpen(job)) next.set(job.id, job);
    else next.delete(job.id);
    open.value = next;
  }

  /** Takes over what the bridge says of a job. What is older than what is known is ignored. */
  function put(job: JobSummary): void {
    if (removed.has(job.id)) return;
    const current = known.get(job.id);
    if (current !== undefined && isStale(job, current.peek())) return;
    if (current === undefined) known.set(job.id, signal(job));
    else current.value = job;
    countOpen(job);
    for (const listener of listeners) listener({ kind: 'changed', job });
  }

  function remove(id: string): void {
    removed.add(id);
    const [oldest] = removed;
    if (removed.size > MOST_REMOVED && oldest !== undefined) removed.delete(oldest);
    known.delete(id);
    if (open.peek().has(id)) {
      open.value = new Map([...open.peek()].filter(([each]) => each !== id));
    }
    for (const listener of listeners) listener({ kind: 'removed', id });
  }

  async function patch(id: string, body: { favorite?: boolean; deleted?: boolean }) {
    const job = await unwrap(api.PATCH('/v1/jobs/{id}', { params: { path: { id } }, body }));
    putDetail(job);
  }

  /** What a reply to one request says of a job that is known. */
  function putDetail(job: Job): void {
    const summary = known.get(job.id)?.peek();
    if (summary !== undefined) put(withDetail(summary, job));
  }

  return {
    put,
    remove,
    /** Forgets the jobs that have not ended: they were those of another token. */
    forgetOpen(): void {
      open.value = new Map();
    },
    /** The jobs that have not ended, by id. */
    open: open as ReadonlySignal<ReadonlyMap<string, JobSummary>>,

    get(id: string): ReadonlySignal<JobSummary> | undefined {
      return known.get(id);
    },

    /** Calls the listener at every change until the returned function is called. */
    subscribe(listener: (change: JobChange) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** One job whole. */
    async read(id: string, abort?: AbortSignal): Promise<Job> {
      const job = await unwrap(
        api.GET('/v1/jobs/{id}', { params: { path: { id } }, ...(abort && { signal: abort }) }),
      );
      putDetail(job);
      return job;
    },

    /** Reads the newest jobs, which the event stream may not have reported yet. */
    async readNewest(signal?: AbortSignal): Promise<void> {
      const query = { limit: 100, visibility: 'all' as const };
      const page = await unwrap(
        api.GET('/v1/jobs', { params: { query }, ...(signal && { signal }) }),
      );
      for (const job of page.items) put(job);
    },

    setFavorite: (id: string, favorite: boolean) => patch(id, { favorite }),
    setHidden: (id: string, hidden: boolean) => patch(id, { deleted: hidden }),

    async cancel(id: string): Promise<void> {
      putDetail(await unwrap(api.DELETE('/v1/jobs/{id}', { params: { path: { id } } })));
    },
  };
}

/** A detail lacks some of what a summary says: what both hold is taken over. */
function withDetail({ deleted: _, ...summary }: JobSummary, job: Job): JobSummary {
  const { status, updated, cancel_requested, favorite, started, completed, deleted } = job;
  const made = job.result ?? job.partial_result;
  const artifacts = made && toArtifacts(made);
  return {
    ...summary,
    status,
    updated,
    cancel_requested,
    favorite,
    ...(started !== undefined && { started }),
    ...(completed !== undefined && { completed }),
    ...(deleted !== undefined && { deleted }),
    ...(job.error && { error_code: job.error.code }),
    ...(artifacts && { artifacts }),
  };
}

function toArtifacts({ data }: Pick<ImageResponse, 'data'>): JobSummary['artifacts'] {
  return data.flatMap((image) => {
    if (image.type !== 'artifact') return [];
    const { id, width, height, format, bytes } = image;
    return [{ id, width, height, format, bytes }];
  });
}

/** Two messages about one job can overtake each other: it never goes back from its end, nor in time. */
function isStale(next: JobSummary, current: JobSummary): boolean {
  return next.updated < current.updated || (!isOpen(current) && isOpen(next));
}
