import * as v from 'valibot';
import type { JobStore } from '../../jobs/job-store-port.ts';
import type { StateDatabase } from './database.ts';
import { prepareForgetRemovals } from './job-change-feed.ts';
import { prepareJobInputs } from './job-inputs.ts';

const LIST_ENDED = `
  SELECT seq, completed FROM job
  WHERE completed IS NOT NULL AND favorite = 0
  ORDER BY completed, seq LIMIT ?`;
const ORDINARY = 'SELECT ordinary_jobs AS jobs, ordinary_bytes AS bytes FROM job_total';
const REMOVE = 'DELETE FROM job WHERE seq = ? RETURNING scope';

const EndedRows = v.array(v.object({ seq: v.number(), completed: v.number() }));
const OrdinaryRow = v.object({ jobs: v.number(), bytes: v.number() });

export function createJobRetention(database: StateDatabase): Pick<JobStore, 'prune'> {
  const listEnded = database.prepare(LIST_ENDED);
  const ordinary = database.prepare(ORDINARY);
  const remove = database.prepare(REMOVE).pluck();
  const forgetRemovals = prepareForgetRemovals(database);
  const { inputsOf, released } = prepareJobInputs(database);

  return {
    prune: ({ completedBeforeSecs, maxRetained, maxRetainedBytes, batch }) =>
      database.write(() => {
        const removed: number[] = [];
        const scopes = new Set<string>();
        const inputs: string[] = [];
        for (const job of v.parse(EndedRows, listEnded.all(batch))) {
          const isOld = job.completed < completedBeforeSecs;
          // Read for each: an image that another job came with too does not leave the history with this one.
          const { jobs, bytes } = v.parse(OrdinaryRow, ordinary.get());
          if (!isOld && jobs <= maxRetained && bytes <= maxRetainedBytes) break;
          inputs.push(...inputsOf(job.seq));
          scopes.add(v.parse(v.string(), remove.get(job.seq)));
          removed.push(job.seq);
        }
        for (const scope of scopes) forgetRemovals(scope);
        return { removed, releasedInputs: released(inputs) };
      }),
  };
}
