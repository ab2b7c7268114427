import * as v from 'valibot';
import type { JobStore } from '../../../jobs/job-store-port.ts';
import type { StoreDatabase } from '../database.ts';

const NEEDS_INPUT = 'SELECT 1 FROM job_input WHERE sha256 = ? LIMIT 1';
const LIST_INPUTS = `
  SELECT sha256, max(bytes) AS bytes FROM job_input
  WHERE sha256 > +@after GROUP BY sha256 ORDER BY sha256 LIMIT +@limit`;

const InputRows = v.array(v.object({ sha256: v.string(), bytes: v.number() }));

/** Lists the stored images that jobs came with. */
export function createJobInputs(
  database: StoreDatabase,
): Pick<JobStore, 'needsInput' | 'listInputs'> {
  const listInputs = database.prepare(LIST_INPUTS);
  const findNeed = database.prepare(NEEDS_INPUT);

  return {
    needsInput: (sha256) => database.read(() => findNeed.get(sha256) !== undefined),
    listInputs: (page) => database.read(() => v.parse(InputRows, listInputs.all(page))),
  };
}
