import type { GenerationStage } from '../../generation/generation-events.ts';
import type { JobRecord } from '../job-store-port.ts';

/** What happens in a running job, without the bytes of its images. */
export type JobProgressEvent =
  | { readonly type: 'progress'; readonly stage: GenerationStage; readonly index?: number }
  | {
      readonly type: 'partial_image';
      readonly index: number;
      readonly partial_index: number;
      readonly width: number;
      readonly height: number;
    };

/** A job that runs, as far as its subscribers need to know it. */
export type JobKey = Pick<JobRecord, 'id' | 'scope' | 'sequence'>;

export type JobNotice =
  /** Something has become durable in the store: which jobs it has changed, the store knows. */
  | { readonly type: 'stored' }
  /** The summary of a running job has other progress than before. */
  | { readonly type: 'advanced'; readonly job: JobKey }
  | { readonly type: 'happened'; readonly id: string; readonly event: JobProgressEvent }
  /** The end of a job is durable, or cannot become so any more. */
  | { readonly type: 'ended'; readonly id: string }
  /** No job runs here any more: only another process could change one now. */
  | { readonly type: 'over' };

export type JobNotices = ReturnType<typeof createJobNotices>;

/** Notifies subscribers of what happens to the jobs of this process. Keeps nothing for those who subscribe later. */
export function createJobNotices() {
  const subscribers = new Set<(notice: JobNotice) => void>();
  let isOver = false;
  return {
    publish(notice: JobNotice): void {
      isOver ||= notice.type === 'over';
      for (const subscriber of subscribers) subscriber(notice);
    },

    /** The returned function ends the subscription. */
    subscribe(subscriber: (notice: JobNotice) => void): () => void {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },

    isOver: () => isOver,
  };
}
