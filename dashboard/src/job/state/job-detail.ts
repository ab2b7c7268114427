import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { ApiError, joined } from '../../api/api.ts';
import type { Job, JobSummary } from '../../api/schemas.ts';
import type { Connection } from '../../connection/connection.ts';
import { toMarks } from '../../jobs/image-marks.ts';
import { isMadeHere, isOpen } from '../../jobs/job-state.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { toFailureText } from '../../text/failure-text.ts';

interface Deps {
  readonly jobs: Jobs;
  readonly connection: Connection;
}

/** The delay in milliseconds before a pending webhook is read again. The delay doubles with each delivery attempt. */
const WEBHOOK_MS = 3000;

export type JobDetail = ReturnType<typeof createJobDetail>;

/**
 * Reads one job in full. The job is read again when the job ends, when the bridge is reachable again, and while its
 * webhook is waiting for delivery. Between these reads, the summary provides the changes.
 */
export function createJobDetail({ jobs, connection }: Deps, id: string) {
  const detail = signal<Job | undefined>(undefined);
  const summary = signal<JobSummary | undefined>(jobs.get(id));
  const error = signal<ApiError | undefined>(undefined);
  const controller = new AbortController();

  const read = joined(async () => {
    try {
      do {
        detail.value = await jobs.read(id, controller.signal);
        error.value = undefined;
        // The job may have ended while it was being read.
      } while (hasEndedSince(detail.peek(), summary.peek()));
    } catch (failure) {
      if (!controller.signal.aborted) error.value = ApiError.of(failure);
    }
  });

  const unsubscribe = jobs.subscribe((change) => {
    if ((change.kind === 'removed' ? change.id : change.job.id) !== id) return;
    if (change.kind === 'changed') summary.value = change.job;
    if (change.kind === 'removed' || hasEndedSince(detail.peek(), change.job)) void read();
  });
  const stop = effect(() => {
    void connection.returns.value;
    void read();
  });
  // A job that is watched is not forgotten.
  const stopWatching = effect(() => void jobs.watch(id));
  const stopWebhook = effect(() => {
    const { value: job } = detail;
    if (job === undefined || isOpen(job) || job.webhook?.status !== 'pending') return;
    const timer = setTimeout(() => void read(), WEBHOOK_MS * 2 ** job.webhook.attempts);
    return () => clearTimeout(timer);
  });

  return {
    /** Undefined until the job has been read. */
    job: computed(() => detail.value && withLatest(detail.value, summary.value)),
    /** The summary from a list, if known before the job has been read. */
    summary: summary as ReadonlySignal<JobSummary | undefined>,
    error: error as ReadonlySignal<ApiError | undefined>,
    read,
    close(): void {
      unsubscribe();
      stop();
      stopWatching();
      stopWebhook();
      controller.abort();
    },
  };
}

function hasEndedSince(job: Job | undefined, summary: JobSummary | undefined): boolean {
  return job !== undefined && isOpen(job) && summary !== undefined && !isOpen(summary);
}

/** Updates a job with its newer summary. The end is taken only from the whole job, which contains the result. */
export function withLatest(job: Job, summary: JobSummary | undefined): Job {
  if (summary === undefined || summary.updated < job.updated) return job;
  if (isOpen(job) ? !isOpen(summary) : isOpen(summary)) return job;
  const { progress: _progress, deleted: _deleted, marks: _marks, labels: _labels, ...rest } = job;
  const marks = toMarks(summary);
  const { status, updated, cancel_requested, favorite, progress, started, deleted } = summary;
  const { labels, retried_as } = summary;
  return {
    ...rest,
    status,
    updated,
    cancel_requested,
    favorite,
    ...(started !== undefined && { started }),
    ...(progress !== undefined && { progress }),
    ...(deleted !== undefined && { deleted }),
    ...(labels !== undefined && { labels }),
    ...(retried_as !== undefined && { retried_as }),
    ...(marks.length > 0 && { marks }),
  };
}

/** Returns the time before which the request of a failed job would fail again, in Unix milliseconds, if it is known. */
export function retryTime({ error, completed, updated }: Job): number | undefined {
  return error && toFailureText(error, (completed ?? updated) * 1000).after;
}

/** Returns true if the request may succeed when it is sent again, or if an image may already exist. */
export function isWorthRepeating(job: Job): boolean {
  if (isMadeHere(job)) return false;
  const { error, completed, updated } = job;
  if (error === undefined || error.details['outcome'] === 'unknown') return true;
  return toFailureText(error, (completed ?? updated) * 1000).mayRepeat;
}
