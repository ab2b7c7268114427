import type { BridgeError } from '../errors/bridge-error.ts';
import type { GenerationResult } from '../generation/generation-result.ts';
import type { Ledger } from '../generation/ledger/ledger.ts';
import { nowSecs } from '../platform/clock.ts';
import { cancellation, endOf, toArtifactResult, toJobFailure } from './job-end.ts';
import type { JobRecord } from './job-store-port.ts';
import { createSettleJob } from './settle-job.ts';

/** A job that runs in this process, and its account. */
interface AccountedJob {
  readonly job: JobRecord;
  readonly ledger: Pick<Ledger, 'settlement'>;
}

/** Stores how jobs end. Once `ending` aborts, the store is asked only once for each of them. */
export function createJobEnds(deps: Parameters<typeof createSettleJob>[0], ending: AbortSignal) {
  const { clock } = deps;
  const settle = createSettleJob(deps);

  return {
    /** Throws `cancelled` if the cancellation of the job was committed before its result. */
    async succeed(
      { job, ledger }: AccountedJob,
      { response, publications }: GenerationResult,
      signal: AbortSignal,
    ): Promise<void> {
      const end = {
        status: 'succeeded',
        completedSecs: nowSecs(clock),
        settlement: ledger.settlement(),
        result: toArtifactResult(response),
        publications: publications.map(({ record }) => record.id),
      } as const;
      if (await settle(job, end, signal)) return;
      // Its cancellation was committed before its result, though the signal may not have come yet.
      throw cancellation().with({ details: { provider_stopped: true } });
    },

    /** Resolves with false if the process stops before the store has taken the end: the next start finds the job running. */
    async fail({ job, ledger }: AccountedJob, error: BridgeError): Promise<boolean> {
      const end = {
        status: endOf(error),
        completedSecs: nowSecs(clock),
        settlement: ledger.settlement(),
        error: toJobFailure(error),
      } as const;
      return settle(job, end, ending).then(
        () => true,
        () => false,
      );
    },
  };
}
