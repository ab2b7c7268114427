import type { JobRecord, JobStore } from '../../jobs/job-store-port.ts';

/** A reply to `submit`. The request of a new job is missing, because the caller has sent it and a copy would cost time. */
interface ShortReply {
  readonly job: Omit<JobRecord, 'request'> & Partial<Pick<JobRecord, 'request'>>;
  readonly repeated: boolean;
}

/** The job store as a storage thread serves it. */
export interface ServedJobs extends Omit<JobStore, 'submit'> {
  submit(...given: Parameters<JobStore['submit']>): Promise<ShortReply>;
}

/** Removes the requests of new jobs from the replies, in the storage thread. */
export function shortenReplies(jobs: JobStore): ServedJobs {
  return {
    ...jobs,
    async submit(...given) {
      const { job, repeated } = await jobs.submit(...given);
      if (repeated) return { job, repeated };
      const { request: _, ...facts } = job;
      return { job: facts, repeated };
    },
  };
}

/** Adds the requests of new jobs to the replies, in the thread of the caller. */
export function completeReplies(jobs: ServedJobs): JobStore {
  return {
    ...jobs,
    async submit(sent, admission) {
      const { job, repeated } = await jobs.submit(sent, admission);
      return { job: { request: sent.request, ...job }, repeated };
    },
  };
}
