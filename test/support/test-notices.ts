import type { JobNotice, JobNotices } from '../../lib/jobs/job-notices-port.ts';

/** Creates notices that the test publishes. */
export function createTestNotices() {
  const subscribers = new Set<(notice: JobNotice) => void>();
  const port: JobNotices = {
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
  };
  return {
    port,
    publish(notice: JobNotice): void {
      for (const subscriber of subscribers) subscriber(notice);
    },
    /** Returns the number of subscribers. */
    count: () => subscribers.size,
  };
}
