import type { JobStore } from './job-store-port.ts';
import type { JobNotices } from './streams/job-notices.ts';

/** The same store, which publishes a notice after each commit that may have changed a job. */
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
