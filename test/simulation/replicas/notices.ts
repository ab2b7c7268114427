import type {
  JobNotice,
  JobNotices,
  JobPartial,
  JobProgress,
  JobProgressStore,
} from '../../../lib/jobs/job-notices-port.ts';
import type { JobStore } from '../../../lib/jobs/job-store-port.ts';
import type { QueueStore } from '../../../lib/jobs/queue-store-port.ts';
import { withJobNotices } from '../../../lib/storage/sqlite/job-notices.ts';
import type { Replica } from './replica.ts';

interface Ports {
  readonly jobs: JobStore;
  readonly queue: QueueStore;
}

/** A replica that receives the notices of the others. */
interface Receiver {
  readonly owner: string;
  receive(notice: JobNotice): void;
}

type Found<T> = Promise<T | undefined>;

/**
 * Creates the channel on which replicas notify each other. A notice can be late or lost, so each replica also looks for changes
 * regularly.
 */
export function createNoticeChannel() {
  const receivers = new Map<string, Receiver>();
  const progresses = new Map<string, JobProgressStore>();

  return {
    /** Wraps the stores of one replica so that its changes are published to all replicas. */
    open({ owner, clock, lookEveryMs, noticeDelayMs }: Replica, ports: Ports) {
      const subscribers = new Set<(notice: JobNotice) => void>();
      const own = withJobNotices(announceCancellations(ports, send));
      const publish = (notice: JobNotice) => {
        for (const subscriber of subscribers) subscriber(notice);
      };

      /** Sends a notice to the other replicas. */
      function send(notice: JobNotice): void {
        for (const receiver of receivers.values()) {
          if (receiver.owner !== owner) receiver.receive(notice);
        }
      }

      function receive(notice: JobNotice): void {
        const delayMs = noticeDelayMs();
        if (delayMs !== undefined) clock.after(delayMs, () => publish(notice));
      }

      function look(): void {
        clock.after(lookEveryMs, () => {
          publish({ type: 'missed' });
          look();
        });
      }

      receivers.set(owner, { owner, receive });
      progresses.set(owner, own.progress);
      own.notices.subscribe((notice) => {
        publish(notice);
        send(notice);
      });
      look();
      const notices: JobNotices = {
        subscribe(subscriber) {
          subscribers.add(subscriber);
          return () => void subscribers.delete(subscriber);
        },
      };
      return { ...own, notices, progress: withOthers(own.progress, progresses) };
    },

    /** Ends the notices to a replica, whose progress is forgotten. */
    leave(owner: string): void {
      receivers.delete(owner);
      progresses.delete(owner);
    },
  };
}

/** Adds the notice to the replica that runs a job whose cancellation is requested. */
function announceCancellations(ports: Ports, send: (notice: JobNotice) => void): Ports {
  const jobs: JobStore = {
    ...ports.jobs,
    async cancel(scope, id, request) {
      const job = await ports.jobs.cancel(scope, id, request);
      if (job?.status === 'running') send({ type: 'cancelling', id });
      return job;
    },
  };
  return { ...ports, jobs };
}

/** Adds the progress of the jobs of other replicas. */
function withOthers(
  own: JobProgressStore,
  all: ReadonlyMap<string, JobProgressStore>,
): JobProgressStore {
  return {
    ...own,
    async find(ids) {
      const found = new Map<string, JobProgress>();
      for (const store of all.values()) {
        for (const [id, progress] of await store.find(ids)) found.set(id, progress);
      }
      return found;
    },
    async findPartial(id): Found<JobPartial> {
      for (const store of all.values()) {
        const partial = await store.findPartial(id);
        if (partial) return partial;
      }
      return undefined;
    },
  };
}
