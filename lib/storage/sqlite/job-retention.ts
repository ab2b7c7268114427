import * as v from 'valibot';
import type { JobStore } from '../../jobs/job-store-port.ts';
import type { StateDatabase } from './database.ts';
import { prepareForgetRemovals } from './job-change-feed.ts';

const LIST_ENDED = `
  SELECT seq, completed, bytes FROM job
  WHERE completed IS NOT NULL AND favorite = 0
  ORDER BY completed, seq LIMIT ?`;
const ORDINARY = 'SELECT ordinary_jobs AS jobs, ordinary_bytes AS bytes FROM job_total';
const REMOVE = 'DELETE FROM job WHERE seq = ? RETURNING scope';

const EndedRows = v.array(v.object({ seq: v.number(), completed: v.number(), bytes: v.number() }));
const OrdinaryRow = v.object({ jobs: v.number(), bytes: v.number() });

export function createJobRetention(database: StateDatabase): Pick<JobStore, 'prune'> {
  const listEnded = database.prepare(LIST_ENDED);
  const ordinary = database.prepare(ORDINARY);
  const remove = database.prepare(REMOVE).pluck();
  const forgetRemovals = prepareForgetRemovals(database);

  return {
    prune: ({ completedBeforeSecs, maxRetained, maxRetainedBytes, batch }) =>
      database.write(() => {
        let { jobs, bytes } = v.parse(OrdinaryRow, ordinary.get());
        const removed: number[] = [];
        const scopes = new Set<string>();
        for (const job of v.parse(EndedRows, listEnded.all(batch))) {
          const isOld = job.completed < completedBeforeSecs;
          if (!isOld && jobs <= maxRetained && bytes <= maxRetainedBytes) break;
          scopes.add(v.parse(v.string(), remove.get(job.seq)));
          removed.push(job.seq);
          jobs -= 1;
          bytes -= job.bytes;
        }
        for (const scope of scopes) forgetRemovals(scope);
        return removed;
      }),
  };
}
