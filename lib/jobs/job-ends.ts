import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Ledger } from '../generation/ledger/ledger.ts';
import type { GenerationResult } from '../generation/pipeline.ts';
import { nowSecs } from '../platform/clock.ts';
import { cancellation, endOf, toArtifactResult, toJobFailure } from './job-end.ts';
import type { JobPublications } from './job-publications.ts';
import type { JobRecord } from './job-store-port.ts';
import { createSettleJob } from './settle-job.ts';

/** A job that runs in this process, with its account and what it has published. */
export interface RunningJob {
  readonly job: JobRecord;
  readonly ledger: Ledger;
  readonly publications: JobPublications;
}

/** True if the store has taken the end; `refused` if the job cannot end like this any more. */
type Stored = boolean | 'refused';

/** Stores how jobs end. Once `ending` aborts, the store is asked only once for each of them. */
export function createJobEnds(deps: Parameters<typeof createSettleJob>[0], ending: AbortSignal) {
  const { clock } = deps;
  const settle = createSettleJob(deps);

  return {
    /** Throws `cancelled` if the cancellation of the job was committed before its result. */
    async succeed(
      { job, ledger, publications }: RunningJob,
      { response, publications: made }: GenerationResult,
      signal: AbortSignal,
    ): Promise<void> {
      const end = {
        status: 'succeeded',
        completedSecs: nowSecs(clock),
        settlement: ledger.settlement(),
        result: toArtifactResult(response),
        publications: made.map(({ record }) => record.id),
      } as const;
      const isStored = await settle(job, end, signal).catch((thrown) => {
        if (toBridgeError(thrown).code === 'artifact') {
          // The images do not belong to the job in the store: they are in no partial result.
          publications.refuse();
          ledger.withdrawn();
        }
        throw thrown;
      });
      if (isStored) return;
      // Its cancellation was committed before its result, though the signal may not have come yet.
      throw cancellation().with({ details: { provider_stopped: true } });
    },

    /**
     * Ends the job with what it has finished as its partial result. Resolves with false if the process stops before the store
     * has taken the end: the next start finds the job running.
     */
    async fail({ job, ledger, publications }: RunningJob, error: BridgeError): Promise<Stored> {
      const end = {
        status: endOf(error),
        completedSecs: nowSecs(clock),
        settlement: ledger.settlement(),
        error: toJobFailure(ledger.restricted(error)),
        publications: publications.ids(),
      } as const;
      return settle(job, end, ending).then(
        (isEnded) => isEnded || 'refused',
        () => false,
      );
    },
  };
}
