import { type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import type { ImageResponse, Job, JobSummary } from '../api/schemas.ts';
import type { UntilAnswered } from '../connection/resending.ts';
import { type ImageMarks, marksOf, type SwitchedMarks } from './image-marks.ts';
import { isOpen } from './job-state.ts';
import { createKnownJobs } from './known-jobs.ts';

export type Jobs = ReturnType<typeof createJobs>;

/** The maximum number of remembered removals. Fewer jobs are removed while one reply is on its way. */
const MAX_REMOVED = 10_000;

/** Keeps the jobs that the page knows, and sends the requests that change jobs. */
export function createJobs(api: Api, untilAccepted: UntilAnswered) {
  const known = createKnownJobs();
  const listeners = new Set<(change: JobChange) => void>();
  const open = signal<ReadonlyMap<string, JobSummary>>(new Map());
  /** The ids of removed jobs, oldest first. A reply that was already on its way must not restore a removed job. */
  const removed = new Set<string>();

  function countOpen(job: JobSummary): void {
    if (!isOpen(job) && !open.peek().has(job.id)) return;
    const next = new Map(open.peek());
    if (isOpen(job)) next.set(job.id, job);
    else next.delete(job.id);
    open.value = next;
  }

  /**
   * Stores the summary that the bridge reports for a job. A summary older than the known summary is ignored. `isListed` is true if the
   * summary comes from a page of the history, which also contains jobs that have not changed.
   */
  function put(job: JobSummary, isListed = false): void {
    if (removed.has(job.id)) return;
    const current = known.get(job.id);
    if (current !== undefined && isStale(job, current)) return;
    const isNews = !isListed || (current !== undefined && current.updated !== job.updated);
    known.set(job);
    countOpen(job);
    for (const listener of listeners) listener({ kind: 'changed', job, isNews });
  }

  function remove(id: string): void {
    removed.add(id);
    const [oldest] = removed;
    if (removed.size > MAX_REMOVED && oldest !== undefined) removed.delete(oldest);
    known.delete(id);
    if (open.peek().has(id)) {
      open.value = new Map([...open.peek()].filter(([each]) => each !== id));
    }
    for (const listener of listeners) listener({ kind: 'removed', id });
  }

  /** Updates the summary of a known job from a reply that contains the whole job. */
  function putDetail(job: Job): void {
    const summary = known.get(job.id);
    if (summary !== undefined) put(withDetail(summary, job));
  }

  return {
    ...createJobRequests(api, untilAccepted, putDetail),
    get: known.get,
    watch: known.watch,
    forget: known.forget,
    hold: known.hold,
    put,
    remove,
    /** Forgets the open jobs. Called when the token changes, because the open jobs belong to the previous token. */
    forgetOpen(): void {
      open.value = new Map();
    },
    /** The jobs that have not ended, by id. */
    open: open as ReadonlySignal<ReadonlyMap<string, JobSummary>>,

    /** Calls the listener after every change of a job until the returned function is called. */
    subscribe(listener: (change: JobChange) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Reads the newest jobs, which the event stream may not have reported yet. */
    async readNewest(signal?: AbortSignal): Promise<void> {
      const query = { limit: 100, visibility: 'all' as const };
      const page = await unwrap(
        api.GET('/v1/jobs', { params: { query }, ...(signal && { signal }) }),
      );
      for (const job of page.items) put(job);
    },
  };
}

/**
 * Creates the requests that read or change one job. The summaries of the replies are stored by `putDetail`. A change that gets no
 * reply is sent again, because the same change has no further effect.
 */
function createJobRequests(api: Api, untilAccepted: UntilAnswered, putDetail: (job: Job) => void) {
  /** Reads one job in full. */
  async function read(id: string, abort?: AbortSignal): Promise<Job> {
    const job = await unwrap(
      api.GET('/v1/jobs/{id}', { params: { path: { id } }, ...(abort && { signal: abort }) }),
    );
    putDetail(job);
    return job;
  }

  async function patch(id: string, body: { favorite?: boolean; deleted?: boolean }) {
    const params = { path: { id } };
    putDetail(await untilAccepted(() => unwrap(api.PATCH('/v1/jobs/{id}', { params, body }))));
  }

  /** Changes the marks of one image of a job, and reads the job, whose own marks may follow. */
  async function mark(id: string, artifactId: string, body: ImageMarks): Promise<void> {
    const params = { path: { id: artifactId } };
    await unwrap(api.PATCH('/v1/artifacts/{id}', { params, body }));
    await read(id);
  }

  return {
    read,
    setFavorite: (id: string, favorite: boolean) => patch(id, { favorite }),
    setHidden: (id: string, hidden: boolean) => patch(id, { deleted: hidden }),

    markImage: (id: string, artifactId: string, marks: SwitchedMarks) =>
      untilAccepted(() => mark(id, artifactId, marks)),
    /** Changes the note of one image. Throws ApiError at once if no reply arrives. */
    setNote: (id: string, artifactId: string, note: string) => mark(id, artifactId, { note }),

    async cancel(id: string): Promise<void> {
      const params = { path: { id } };
      putDetail(await untilAccepted(() => unwrap(api.DELETE('/v1/jobs/{id}', { params }))));
    },
  };
}

/** Updates a summary with the fields that it shares with the whole job. */
function withDetail({ deleted: _, labels: _labels, ...summary }: JobSummary, job: Job): JobSummary {
  const { status, updated, cancel_requested, favorite, started, completed } = job;
  const { deleted, labels, retried_as } = job;
  const made = job.result ?? job.partial_result;
  const artifacts = made && toArtifacts(made, job);
  return {
    ...summary,
    status,
    updated,
    cancel_requested,
    favorite,
    ...(started !== undefined && { started }),
    ...(completed !== undefined && { completed }),
    ...(deleted !== undefined && { deleted }),
    ...(labels !== undefined && { labels }),
    ...(retried_as !== undefined && { retried_as }),
    ...(job.error && { error_code: job.error.code }),
    ...(artifacts && { artifacts }),
  };
}

function toArtifacts(
  { data }: Pick<ImageResponse, 'data'>,
  job: Pick<Job, 'marks'>,
): JobSummary['artifacts'] {
  return data.flatMap((image) => {
    if (image.type !== 'artifact') return [];
    const { id, width, height, format, bytes } = image;
    return [{ id, width, height, format, bytes, ...marksOf(job, id) }];
  });
}

/**
 * Returns true if a summary is outdated, because summaries of one job can arrive out of order. A summary is outdated if
 * it is older than the known summary, or if it is open although the job has ended.
 */
function isStale(next: JobSummary, current: JobSummary): boolean {
  return next.updated < current.updated || (!isOpen(current) && isOpen(next));
}

/** A change of a job that the page knows. */
export type JobChange =
  | {
      readonly kind: 'changed';
      readonly job: JobSummary;
      /** False if a page of the history contained the job, which has not changed since. */
      readonly isNews: boolean;
    }
  | { readonly kind: 'removed'; readonly id: string };
