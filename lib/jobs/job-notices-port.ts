import type { OutputFormat } from '../contract/request/parameters.ts';
import type { ImageJob } from '../contract/resources/job.ts';
import type { JobKey } from './job-store-port.ts';

export type JobProgress = NonNullable<ImageJob['progress']>;

/** A preview that a provider sent before the final image of a running job. */
export interface JobPartial {
  readonly image: { readonly bytes: Buffer; readonly format: OutputFormat };
  readonly partialIndex: number;
}

/** An event of a running job, without the bytes of images. */
export type JobProgressEvent =
  | { readonly type: 'progress'; readonly stage: JobProgress['stage']; readonly index?: number }
  | {
      readonly type: 'partial_image';
      readonly index: number;
      readonly partial_index: number;
      readonly width: number;
      readonly height: number;
    };

/** A notice about a commit or about a running job. A notice names jobs; a subscriber reads their state from the store. */
export type JobNotice =
  /** Jobs were added to the queue. `ownCount` of these `count` jobs are made by the bridge without a model (`isOwnWork`). */
  | { readonly type: 'queued'; readonly count: number; readonly ownCount: number }
  /** The queue was paused. */
  | { readonly type: 'paused' }
  /** The queue was resumed after a pause. */
  | { readonly type: 'resumed' }
  /** Jobs of this scope may have changed. If the scope is absent, jobs of any scope may have changed. */
  | { readonly type: 'changed'; readonly scope?: string }
  /** Another process requested the cancellation of this running job. */
  | { readonly type: 'cancelling'; readonly id: string }
  /** The end of the job is durable. */
  | { readonly type: 'ended'; readonly id: string }
  /** The progress in the summary of a running job has changed. */
  | { readonly type: 'advanced'; readonly job: JobKey }
  | { readonly type: 'happened'; readonly id: string; readonly event: JobProgressEvent }
  /** Earlier notices may have been lost. Every subscriber that waits must read the store again. */
  | { readonly type: 'missed' };

/**
 * Notifies subscribers of changes that any process has made to the jobs of the store. A notice is published after its commit, so
 * that a subscriber finds the change in the store. Notices can be lost when the connection to the store fails: `missed` follows
 * within seconds.
 */
export interface JobNotices {
  /** Returns a function that ends the subscription. A subscriber must not throw. */
  subscribe(subscriber: (notice: JobNotice) => void): () => void;
}

/**
 * Keeps the progress of running jobs for the readers of all processes, and publishes it as notices. Only the latest state of a
 * job is kept. The state may be lost at any time, because it is used only for display.
 */
export interface JobProgressStore {
  /** Sets the first progress of a job that this process has claimed. Publishes nothing. Never throws. */
  begin(job: JobKey, progress: JobProgress): void;
  /**
   * Replaces the given parts of the state of a job that runs in this process. Publishes `advanced` if `progress` is present, and
   * `happened` if `event` is present. An intermediate state may be skipped. Never throws.
   */
  report(
    job: JobKey,
    state: {
      readonly progress?: JobProgress;
      readonly partial?: JobPartial;
      readonly event?: JobProgressEvent;
    },
  ): void;
  /** Removes the state of a job that no longer runs in this process. Never throws. */
  remove(job: JobKey): void;
  /** Resolves with the progress of the jobs with these ids. Jobs without a known progress are omitted. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, JobProgress>>;
  /** Resolves with the latest partial image of a job, or undefined if there is none. */
  findPartial(id: string): Promise<JobPartial | undefined>;
}
