import { describe, expect, it } from 'vitest';
import type { Job, JobSummary } from '../../../../dashboard/src/api/schemas.ts';
import { createRaceCosts, sumCosts } from '../../../../dashboard/src/race/board/race-costs.ts';

const summary = (id: string, status: JobSummary['status'] = 'succeeded') =>
  ({ id, status }) as JobSummary;
const paid = (amount: string) => ({ result: { cost: { amount, basis: 'reported' } } }) as Job;

/** Opens the costs of jobs, of which the first read fails if `failing` is true. */
function openCosts(jobs: Readonly<Record<string, Job>>, failing = false) {
  const reads: string[] = [];
  const read = async (id: string): Promise<Job> => {
    reads.push(id);
    if (failing && reads.length === 1) throw new TypeError('no connection');
    return jobs[id] ?? ({} as Job);
  };
  return { reads, costs: createRaceCosts({ read }, new AbortController().signal) };
}

const settled = () => new Promise(setImmediate);

describe('createRaceCosts', () => {
  it('reads each ended job once, and sums known costs and unknown costs apart', async () => {
    const unknown = { error: { details: { outcome: 'unknown' } } } as unknown as Job;
    const partly = { result: { cost: { known_amount: '0.5', basis: 'unknown' } } } as Job;
    const { costs, reads } = openCosts({ a: paid('0.04'), b: paid('0.02'), c: unknown, d: partly });
    const jobs = [...'abcde'].map((id) => summary(id));

    costs.request([...jobs, summary('f', 'running')]);
    costs.request(jobs);
    await settled();

    expect(reads.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    const sum = sumCosts(jobs, costs.known.value);
    expect(sum.dollars).toBeCloseTo(0.56);
    expect(sum).toMatchObject({ unknown: 2, jobs: 4 });
  });

  it('reads a job again after a failed read', async () => {
    const { costs, reads } = openCosts({ a: paid('1') }, true);

    costs.request([summary('a')]);
    await settled();
    costs.request([summary('a')]);
    await settled();

    expect(reads).toEqual(['a', 'a']);
    expect(sumCosts([summary('a')], costs.known.value).dollars).toBe(1);
  });
});
