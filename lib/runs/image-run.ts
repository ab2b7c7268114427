import type { RequestContext } from '../contract/request/request-context.ts';
import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Generation, RunningGeneration } from '../generation/generation.ts';
import type { GenerationRequest } from '../generation/generation-request.ts';
import type { GenerationResult } from '../generation/generation-result.ts';
import type { GenerationContext } from '../generation/pipeline.ts';
import { createOperationLog } from '../log/operation-log.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { RecentDurations } from './recent-durations.ts';

interface Deps {
  readonly generation: Pick<Generation, 'run'>;
  /** Removes the files of publications that get no owner. */
  readonly publisher: { discard(publications: GenerationResult['publications']): Promise<void> };
  readonly log: TraceLog;
  readonly durations: Pick<RecentDurations, 'note'>;
}

/** Work whose result has no owner before it is committed, or discarded, once. */
export interface Run<M, T> {
  make(signal: AbortSignal): Promise<M>;
  /** Rejects when the result cannot be committed. It is discarded then. */
  commit(made: M): Promise<T>;
  /** Removes all of the result. Resolves with the failure that the run ends with. */
  discard(made: M, reason: unknown): Promise<BridgeError>;
}

/** A run whose events can be read while it runs. */
export interface ImageRun<T> extends Run<GenerationResult, T> {
  start(signal: AbortSignal): RunningGeneration;
}

/** Whom a run is for. The context of a request is one; a job has one of its own. */
export type RunContext = GenerationContext & Pick<RequestContext, 'trace'>;

/** How a run ends for whom it was started. */
interface RunEnd<T> {
  /** Makes the result durable, and its publications owned. */
  commit(made: GenerationResult): Promise<T>;
  /** What a failure is to the owner of the run; as it was thrown unless given. */
  readonly toFailure?: (thrown: unknown) => BridgeError;
  /** Whether what was published and gets no owner is left to the owner of the run, who removes it; false unless given. */
  readonly keepsPublications?: boolean;
}

export type ImageRuns = ReturnType<typeof createImageRuns>;

/** One path for every run: its lines in the log, the generation, then commit or discard. */
export function createImageRuns({ generation, publisher, log, durations }: Deps) {
  const lines = createOperationLog(log);

  /** A file that cannot be removed now is removed at the next start. */
  async function remove({ publications }: GenerationResult): Promise<void> {
    if (publications.length > 0) await publisher.discard(publications).catch(() => {});
  }

  return {
    newRun<T>(
      request: GenerationRequest,
      context: RunContext,
      { commit, toFailure = toBridgeError, keepsPublications = false }: RunEnd<T>,
    ): ImageRun<T> {
      const { ledger } = context;
      const traced = { ...context.trace, requestId: context.requestId };

      /** The images of a run that fails are not delivered, unless its owner keeps them. */
      async function withdraw(made: GenerationResult): Promise<void> {
        if (!keepsPublications) ledger.withdrawn();
        ledger.close();
        if (!keepsPublications) await remove(made);
      }

      async function logged<R>(work: Promise<R>): Promise<R> {
        try {
          return await work;
        } catch (thrown) {
          const error = toFailure(thrown);
          lines.failed(traced, error);
          throw error;
        }
      }

      function start(signal: AbortSignal): RunningGeneration {
        lines.started(traced);
        const running = generation.run(request, context, signal);
        const result = running.result.catch((thrown) => {
          ledger.close();
          throw thrown;
        });
        return { ...running, result: logged(result) };
      }

      return {
        start,

        make(signal) {
          const running = start(signal);
          running.ignoreEvents();
          return running.result;
        },

        async commit(made) {
          const committed = await logged(
            commit(made).catch(async (thrown) => {
              const failure = ledger.restricted(toBridgeError(thrown));
              await withdraw(made);
              throw failure;
            }),
          );
          ledger.close();
          const { provider, timings } = made.response;
          durations.note(provider, timings.total_ms - timings.queue_ms);
          lines.succeeded(traced, provider);
          return committed;
        },

        async discard(made, reason) {
          await withdraw(made);
          const failure = ledger.restricted(toFailure(reason));
          lines.failed(traced, failure.with({ provider: made.response.provider }));
          return failure;
        },
      };
    },

    /** Logs a request that was refused before there was anything to run. */
    refused(
      { trace, requestId }: Pick<RunContext, 'trace' | 'requestId'>,
      thrown: unknown,
    ): BridgeError {
      const traced = { ...trace, requestId };
      const error = toBridgeError(thrown);
      lines.started(traced);
      lines.failed(traced, error);
      return error;
    },
  };
}

/** Commits what a run makes, or discards it when the signal has aborted meanwhile. Rejects with the failure of the run. */
export async function completeRun<M, T>(
  run: Run<M, T>,
  signal: AbortSignal,
  making = run.make(signal),
): Promise<T> {
  const made = await making;
  if (signal.aborted) throw await run.discard(made, signal.reason);
  return run.commit(made);
}
