import type { RequestContext } from '../contract/request/request-context.ts';
import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Generation, RunningGeneration } from '../generation/generation.ts';
import type { GenerationRequest } from '../generation/generation-request.ts';
import type { GenerationContext, GenerationResult } from '../generation/pipeline.ts';
import { createOperationLog, type TraceLog } from '../log/trace-log.ts';

interface Deps {
  readonly generation: Pick<Generation, 'run'>;
  /** Removes the files of uncommitted publications. */
  readonly publisher: { discard(publications: GenerationResult['publications']): Promise<void> };
  readonly log: TraceLog;
  readonly durations: Pick<RecentDurations, 'note'>;
}

/** A result that is not permanent until it is committed. Each result must be either committed or discarded, once. */
export interface Uncommitted<M, T> {
  /** Commits the result. If the commit fails, discards the result and rejects. `signal` aborts when nobody waits for the result. */
  commit(made: M, signal: AbortSignal): Promise<T>;
  /** Removes the whole result. Resolves with the failure of the run. */
  discard(made: M, reason: unknown): Promise<BridgeError>;
}

export interface ImageRun<T> extends Uncommitted<GenerationResult, T> {
  start(signal: AbortSignal): RunningGeneration;
}

type RunContext = GenerationContext & Pick<RequestContext, 'trace'>;

/** The part of a run that differs between requests and jobs. */
interface RunEnd<T> {
  /** Makes the result durable and its publications permanent. `signal` aborts when nobody waits for the result. */
  commit(made: GenerationResult, signal: AbortSignal): Promise<T>;
  /** Converts a failure to the error to report. By default, the failure is not changed. */
  readonly toFailure?: (thrown: unknown) => BridgeError;
  /** True if the caller removes uncommitted publications. By default, the run removes these publications. */
  readonly keepsPublications?: boolean;
}

export type ImageRuns = ReturnType<typeof createImageRuns>;

/** Creates runs. A run writes its log lines, runs the generation, and commits or discards the result. */
export function createImageRuns({ generation, publisher, log, durations }: Deps) {
  const lines = createOperationLog(log);

  return {
    newRun<T>(
      request: GenerationRequest,
      context: RunContext,
      { commit, toFailure = toBridgeError, keepsPublications = false }: RunEnd<T>,
    ): ImageRun<T> {
      const { ledger } = context;
      const traced = { ...context.trace, requestId: context.requestId };

      /** Withdraws the images of a failed run, unless the caller keeps the images. */
      async function withdraw({ publications }: GenerationResult): Promise<void> {
        if (!keepsPublications) ledger.withdrawn();
        ledger.close();
        if (keepsPublications || publications.length === 0) return;
        // A file that cannot be removed now is removed at the next start.
        await publisher.discard(publications).catch(() => {});
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

      return {
        start(signal) {
          lines.started(traced);
          const running = generation.run(request, context, signal);
          const result = running.result.catch((thrown) => {
            ledger.close();
            throw thrown;
          });
          return { ...running, result: logged(result) };
        },

        async commit(made, signal) {
          const committed = await logged(
            commit(made, signal).catch(async (thrown) => {
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

    /** Logs a request that was rejected before its run was created. Returns the error. */
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

/**
 * Commits the result of a run when `isWanted` resolves with true, else discards the result and rejects with the failure of the
 * run.
 */
export async function completeRun<M, T>(
  run: Uncommitted<M, T>,
  result: Promise<M>,
  signal: AbortSignal,
  isWanted: () => Promise<boolean> = async () => !signal.aborted,
): Promise<T> {
  const made = await result;
  if (await isWanted()) return run.commit(made, signal);
  throw await run.discard(made, signal.reason);
}

// The number is small, so that the mean soon follows a provider that becomes slower, but large enough that one long run changes the
// mean little.
const REMEMBERED = 16;
// The estimate for a provider without a successful run.
const USUAL_MS = 10_000;

export type RecentDurations = ReturnType<typeof createRecentDurations>;

/** Remembers the durations of the latest successful runs of each provider. */
export function createRecentDurations() {
  const byProvider = new Map<string, number[]>();
  return {
    note(provider: string, durationMs: number): void {
      const recent = byProvider.get(provider) ?? [];
      byProvider.set(provider, [...recent, durationMs].slice(-REMEMBERED));
    },

    /** Returns the mean of the latest durations, in milliseconds. */
    typicalMs(provider: string): number {
      const recent = byProvider.get(provider);
      if (!recent) return USUAL_MS;
      return recent.reduce((sum, durationMs) => sum + durationMs, 0) / recent.length;
    },
  };
}
