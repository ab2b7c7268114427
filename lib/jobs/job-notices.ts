import type { GenerationStage } from '../generation/generation-events.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';

/** An event of a running job, without the bytes of images. */
export type JobProgressEvent =
  | { readonly type: 'progress'; readonly stage: GenerationStage; readonly index?: number }
  | {
      readonly type: 'partial_image';
      readonly index: number;
      readonly partial_index: number;
      readonly width: number;
      readonly height: number;
    };

/** The identity of a running job. */
export type JobKey = Pick<JobRecord, 'id' | 'scope' | 'sequence'>;

export type JobNotice =
  /** A commit may have changed jobs. The notice does not say which; subscribers read them from the store. */
  | { readonly type: 'stored' }
  /** The progress in the summary of a running job has changed. */
  | { readonly type: 'advanced'; readonly job: JobKey }
  | { readonly type: 'happened'; readonly id: string; readonly event: JobProgressEvent }
  /** The end of a job is durable, or cannot become durable any more. */
  | { readonly type: 'ended'; readonly id: string }
  /** This process runs no job any more. Only another process could change a job now. */
  | { readonly type: 'over' };

export type JobNotices = ReturnType<typeof createJobNotices>;

/** Notifies subscribers of changes to jobs. Notices from before a subscription are lost. */
export function createJobNotices() {
  const subscribers = new Set<(notice: JobNotice) => void>();
  let isOver = false;
  return {
    publish(notice: JobNotice): void {
      isOver ||= notice.type === 'over';
      for (const subscriber of subscribers) subscriber(notice);
    },

    /** Returns a function that ends the subscription. */
    subscribe(subscriber: (notice: JobNotice) => void): () => void {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },

    isOver: () => isOver,
  };
}

/** Wraps the store, to publish a notice after each commit that may have changed a job. */
export function createPublishingStore(
  store: JobStore,
  { publish }: Pick<JobNotices, 'publish'>,
): JobStore {
  function published<A extends unknown[], T>(write: (...given: A) => Promise<T>) {
    return async (...given: A): Promise<T> => {
      const written = await write(...given);
      publish({ type: 'stored' });
      return written;
    };
  }

  return {
    ...store,
    submit: published(store.submit),
    claim: published(store.claim),
    settle: published(store.settle),
    cancel: published(store.cancel),
    update: published(store.update),
    prune: published(store.prune),
    interruptAbandoned: published(store.interruptAbandoned),
  };
}
