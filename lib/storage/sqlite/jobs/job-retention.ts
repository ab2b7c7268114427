import * as v from 'valibot';
import type { JobStore } from '../../../jobs/job-store-port.ts';
import type { StoreDatabase } from '../database.ts';
import { prepareForgetRemovals } from './job-change-feed.ts';
import type { JobScopes } from './job-scopes.ts';

const LIST_ENDED = `
  SELECT
    seq, completed,
    EXISTS (SELECT 1 FROM webhook WHERE webhook.seq = job.seq AND due IS NOT NULL) AS is_pending
  FROM job
  WHERE completed IS NOT NULL AND favorite = 0 AND (completed, seq) > (?, ?)
  ORDER BY completed, seq LIMIT ?`;
const ORDINARY = 'SELECT ordinary_jobs AS jobs, ordinary_bytes AS bytes FROM job_total';
const REMOVE = 'DELETE FROM job WHERE seq = ? RETURNING scope';
const NEEDS_INPUT = 'SELECT 1 FROM job_input WHERE sha256 = ? LIMIT 1';
const INPUTS_OF_JOB = 'SELECT sha256 FROM job_input WHERE seq = ?';

const Sha256s = v.array(v.string());
const EndedRows = v.array(
  v.object({ seq: v.number(), completed: v.number(), is_pending: v.number() }),
);
const OrdinaryRow = v.object({ jobs: v.number(), bytes: v.number() });

/** What is kept of the history, and with it of the stored images. */
export function createJobRetention(
  database: StoreDatabase,
  scopeCounts: Pick<JobScopes, 'counting' | 'previousUsers'>,
): Pick<JobStore, 'prune'> {
  const listEnded = database.prepare(LIST_ENDED);
  const ordinary = database.prepare(ORDINARY);
  const remove = database.prepare(REMOVE).pluck();
  const forgetRemovals = prepareForgetRemovals(database);
  const inputsOf = database.prepare(INPUTS_OF_JOB).pluck();
  const findNeed = database.prepare(NEEDS_INPUT);
  const needsInput = (sha256: string) => findNeed.get(sha256) !== undefined;

  return {
    prune: ({ completedBeforeSecs, maxRetained, maxRetainedBytes, after, batch }) =>
      database.write(() => {
        const { completedSecs = 0, sequence = 0 } = after ?? {};
        const ended = v.parse(EndedRows, listEnded.all(completedSecs, sequence, batch));
        const last = ended.length === batch ? ended.at(-1) : undefined;
        let next = last && { completedSecs: last.completed, sequence: last.seq };
        const removed: number[] = [];
        const scopes = new Set<string>();
        const inputs = new Set<string>();
        for (const job of ended) {
          const isOld = job.completed < completedBeforeSecs;
          // Read for each: an image that another job came with too does not leave the history with this one.
          const { jobs, bytes } = v.parse(OrdinaryRow, ordinary.get());
          if (!isOld && jobs <= maxRetained && bytes <= maxRetainedBytes) {
            next = undefined;
            break;
          }
          if (!isOld && job.is_pending === 1) continue;
          for (const sha256 of v.parse(Sha256s, inputsOf.all(job.seq))) inputs.add(sha256);
          const changed = [job.seq, ...scopeCounts.previousUsers(job.seq)];
          scopes.add(
            v.parse(
              v.string(),
              scopeCounts.counting(changed, () => remove.get(job.seq)),
            ),
          );
          removed.push(job.seq);
        }
        for (const scope of scopes) forgetRemovals(scope);
        const releasedInputs = [...inputs].filter((sha256) => !needsInput(sha256));
        return { removed, releasedInputs, next };
      }),
  };
}
