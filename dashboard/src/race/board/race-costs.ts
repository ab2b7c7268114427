import { type ReadonlySignal, signal } from '@preact/signals';
import type { ImageResponse, Job, JobSummary } from '../../api/schemas.ts';
import { isOpen } from '../../jobs/job-state.ts';
import type { Jobs } from '../../jobs/jobs.ts';

/** The number of jobs that are read at the same time. */
const TOGETHER = 2;

type Cost = NonNullable<ImageResponse['cost']>;

/** The sum of the costs of ended jobs. */
export interface CostSum {
  /** The known part in US dollars. */
  readonly dollars: number;
  /** The number of jobs whose cost is not known, or not completely. */
  readonly unknown: number;
  /** The number of jobs that were counted. */
  readonly jobs: number;
}

export type RaceCosts = ReturnType<typeof createRaceCosts>;

/** Reads the costs of ended jobs, which lists do not contain. Each job is read once. */
export function createRaceCosts({ read }: Pick<Jobs, 'read'>, abort: AbortSignal) {
  const known = signal<ReadonlyMap<string, Cost | undefined>>(new Map());
  const asked = new Set<string>();
  const waiting: string[] = [];
  let readers = 0;

  async function readNext(): Promise<void> {
    readers += 1;
    for (let id = waiting.shift(); id !== undefined && !abort.aborted; id = waiting.shift()) {
      try {
        const cost = costOf(await read(id, abort));
        known.value = new Map(known.peek()).set(id, cost);
      } catch {
        // The job is read again with the next request, for example when the bridge is reachable again.
        asked.delete(id);
      }
    }
    readers -= 1;
  }

  return {
    /** The costs of the jobs that have been read. Undefined for a job that made no call. */
    known: known as ReadonlySignal<ReadonlyMap<string, Cost | undefined>>,

    /** Reads the costs of the ended jobs among these jobs. */
    request(jobs: readonly JobSummary[]): void {
      for (const job of jobs) {
        if (isOpen(job) || asked.has(job.id)) continue;
        asked.add(job.id);
        waiting.push(job.id);
      }
      while (readers < TOGETHER && waiting.length > 0) void readNext();
    },
  };
}

/** Returns the cost of an ended job. A call with an unknown outcome counts as paid, so its cost is unknown. */
function costOf({ result, partial_result: partial, error }: Job): Cost | undefined {
  if (result) return result.cost ?? { basis: 'unknown' };
  const isUnknown = partial !== undefined || error?.details['outcome'] === 'unknown';
  return isUnknown ? { basis: 'unknown' } : undefined;
}

/** Sums the costs of those of the jobs that have been read. */
export function sumCosts(
  jobs: readonly Pick<JobSummary, 'id'>[],
  known: ReadonlyMap<string, Cost | undefined>,
): CostSum {
  const costs = jobs.flatMap(({ id }) => known.get(id) ?? []);
  return {
    dollars: costs.reduce((sum, cost) => sum + Number(cost.amount ?? cost.known_amount ?? 0), 0),
    unknown: costs.filter(({ basis }) => basis === 'unknown').length,
    jobs: costs.length,
  };
}
