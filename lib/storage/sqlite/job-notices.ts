import { OWN_PROVIDER } from '../../contract/request/own-work.ts';
import type {
  JobNotice,
  JobNotices,
  JobPartial,
  JobProgress,
  JobProgressStore,
} from '../../jobs/job-notices-port.ts';
import type { JobKey, JobStore } from '../../jobs/job-store-port.ts';
import type { QueueStore } from '../../jobs/queue-store-port.ts';

interface PublishedStores {
  readonly jobs: JobStore;
  readonly queue: QueueStore;
}

/**
 * Wraps the stores so that each commit that may have changed a job is published, and creates the progress of running jobs in
 * memory. This process makes all changes and loses no notice, because it has locked the state directory.
 */
export function withJobNotices(stores: PublishedStores): PublishedStores & {
  readonly notices: JobNotices;
  readonly progress: JobProgressStore;
} {
  const subscribers = new Set<(notice: JobNotice) => void>();

  function publish(notice: JobNotice): void {
    for (const subscriber of subscribers) subscriber(notice);
  }

  return {
    jobs: publishJobs(stores.jobs, publish),
    queue: publishQueue(stores.queue, publish),
    notices: {
      subscribe(subscriber) {
        subscribers.add(subscriber);
        return () => void subscribers.delete(subscriber);
      },
    },
    progress: createProgressInMemory(publish),
  };
}

type EndedJob = Pick<JobKey, 'id' | 'scope'>;
type Publish = (notice: JobNotice) => void;

function publishJobs(store: JobStore, publish: Publish): JobStore {
  // `settle` names a job only by its sequence. Only the process that claimed the job can settle it.
  const running = new Map<number, EndedJob>();

  function ended({ id, scope }: EndedJob): void {
    publish({ type: 'changed', scope });
    publish({ type: 'ended', id });
  }

  return {
    ...store,
    async submit(job, admission) {
      const submitted = await store.submit(job, admission);
      if (!submitted.repeated) {
        publish({ type: 'changed', scope: job.scope });
        publish({ type: 'queued', count: 1, ownCount: Number(job.provider === OWN_PROVIDER) });
      }
      return submitted;
    },
    async claim(...given) {
      const job = await store.claim(...given);
      if (job?.request) {
        const { id, scope, sequence } = job;
        running.set(sequence, { id, scope });
        publish({ type: 'changed', scope });
      } else if (job) ended(job);
      return job;
    },
    async settle(sequence, end) {
      const isEnded = await store.settle(sequence, end);
      if (isEnded) {
        const job = running.get(sequence);
        running.delete(sequence);
        if (job) ended(job);
        else publish({ type: 'missed' });
      }
      return isEnded;
    },
    async cancel(scope, id, request) {
      const job = await store.cancel(scope, id, request);
      if (job?.completedSecs !== undefined) ended(job);
      else if (job) publish({ type: 'changed', scope });
      return job;
    },
    async update(scope, id, change) {
      const job = await store.update(scope, id, change);
      if (job) publish({ type: 'changed', scope });
      return job;
    },
    async markImage(scope, artifactId, change) {
      const image = await store.markImage(scope, artifactId, change);
      if (image) publish({ type: 'changed', scope });
      return image;
    },
    async prune(retention) {
      const pruned = await store.prune(retention);
      if (pruned.removed.length > 0) publish({ type: 'changed' });
      return pruned;
    },
    async interruptAbandoned(end) {
      const count = await store.interruptAbandoned(end);
      // The store does not name the jobs that it has ended.
      if (count > 0) publish({ type: 'missed' });
      return count;
    },
  };
}

function publishQueue(store: QueueStore, publish: Publish): QueueStore {
  return {
    ...store,
    async setPaused(isPaused) {
      await store.setPaused(isPaused);
      publish({ type: isPaused ? 'paused' : 'resumed' });
    },
  };
}

function createProgressInMemory(publish: Publish): JobProgressStore {
  const states = new Map<string, { progress?: JobProgress; partial?: JobPartial }>();
  return {
    begin: ({ id }, progress) => void states.set(id, { progress }),
    report(job, { event, ...state }) {
      states.set(job.id, { ...states.get(job.id), ...state });
      if (event) publish({ type: 'happened', id: job.id, event });
      if (state.progress) publish({ type: 'advanced', job });
    },
    remove: ({ id }) => void states.delete(id),
    async find(ids) {
      const found = ids.map((id) => [id, states.get(id)?.progress] as const);
      return new Map(found.filter((one): one is [string, JobProgress] => one[1] !== undefined));
    },
    findPartial: async (id) => states.get(id)?.partial,
  };
}
