import * as v from 'valibot';
import type { JobStore } from '../../jobs/job-store-port.ts';
import type { StoreDatabase } from './database.ts';

const IS_NEEDED = 'SELECT 1 FROM job_input WHERE sha256 = ? LIMIT 1';
const OF_JOB = 'SELECT sha256 FROM job_input WHERE seq = ?';
const LIST = `
  SELECT sha256, max(bytes) AS bytes FROM job_input
  WHERE sha256 > ? GROUP BY sha256 ORDER BY sha256 LIMIT ?`;

const Sha256s = v.array(v.string());
const InputRows = v.array(v.object({ sha256: v.string(), bytes: v.number() }));

/** Which stored images the jobs came with, inside the caller's transaction. */
export function prepareJobInputs(database: Pick<StoreDatabase, 'prepare'>) {
  const isNeeded = database.prepare(IS_NEEDED);
  const ofJob = database.prepare(OF_JOB).pluck();
  const list = database.prepare(LIST);

  const needsInput = (sha256: string) => isNeeded.get(sha256) !== undefined;

  return {
    needsInput,
    inputsOf: (sequence: number) => v.parse(Sha256s, ofJob.all(sequence)),
    list: ({ after, limit }: Parameters<JobStore['listInputs']>[0]) =>
      v.parse(InputRows, list.all(after, limit)),
    /** Those, each once, that no job came with. */
    released: (sha256s: readonly string[]) =>
      [...new Set(sha256s)].filter((sha256) => !needsInput(sha256)),
  };
}
