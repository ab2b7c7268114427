import type { RequestContext } from '../contract/request/request-context.ts';
import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Generation, RunningGeneration } from '../generation/generation.ts';
import type { GenerationRequest } from '../generation/generation-request.ts';
import type { GenerationContext, GenerationResult } from '../generation/pipeline.ts';
import { createOperationLog, type TraceLog } from '../log/trace-log.ts';

interface Deps {
  readonly generation: Pick<Generation, 'run'>;
  /** Removes the files of publications that have no owner. */
  readonly publisher: { discard(publications: GenerationResult['publications']): Promise<void> };
  readonly log: TraceLog;
  readonly durations: Pick<RecentDurations, 'note'>;
}

/** Work whose result has no owner until it is committed. A result is committed or discarded once. */
export interface Run<M, T> {
  make(signal: AbortSignal): Promise<M>;
  /** Commits the result. If that fails, discards the result and rejects. */
  commit(made: M): Promise<T>;
  /** Removes the whole result. Resolves with the failure of the run. */
  discard(made: M, reason: unknown): Promise<BridgeError>;
}

/** A run whose events can be read before it ends. */
export interface ImageRun<T> extends Run<GenerationResult, T> {
  start(signal: AbortSignal): RunningGeneration;
}

/** The caller of a run and its trace: the context of a request, or the context of a job. */
export type RunContext = GenerationContext & Pick<RequestContext, 'trace'>;

/** The end of a run, as its owner, a request or a job, wants it. */
interface RunEnd<T> {
  /** Makes the result durable and gives its publications an owner. */
  commit(made: GenerationResult): Promise<T>;
  /** Converts a failure for the owner of the run. By default the failure is not changed. */
  readonly toFailure?: (thrown: unknown) => BridgeError;
  /** True if the owner of the run removes publications that were not committed. False by default: the run removes them. */
  readonly keepsPublications?: boolean;
}

export type ImageRuns = ReturnType<typeof createImageRuns>;

/** Creates runs. A run writes its log lines, runs the generation, then commits or discards the result. */
export function createImageRuns({ generation, publisher, log, durations }: Deps) {
  const lines = createOperationLog(log);

  /** Removes the files of a result. A file that cannot be removed now is removed at the next start. */
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

      /** Withdraws the images of a failed run, unless its owner keeps them. */
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

    /** Logs a request that was refused before there was a run. Returns the error. */
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

interface Completion<M> {
  /** The result of a run that has been started. By default, the run is started. */
  readonly making?: Promise<M>;
  /** Resolves with true once a client waits for the result, and with false if the signal has aborted before. */
  readonly isWanted?: () => Promise<boolean>;
}

/** Commits the result of a run, or discards the result if the signal has aborted. Rejects with the failure of the run. */
export async function completeRun<M, T>(
  run: Run<M, T>,
  signal: AbortSignal,
  { making = run.make(signal), isWanted = async () => !signal.aborted }: Completion<M> = {},
): Promise<T> {
  const made = await making;
  if (await isWanted()) return run.commit(made);
  throw await run.discard(made, signal.reason);
}

// Small enough to follow a provider that becomes slower, large enough that one run of many images does not dominate.
const REMEMBERED = 16;
// The estimate for a provider without a successful run.
const USUAL_MS = 10_000;

export type RecentDurations = ReturnType<typeof createRecentDurations>;

/** Remembers the durations of the latest successful runs of each provider. Registered providers are few. */
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
