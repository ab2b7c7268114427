import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Generation, GenerationContext, RunningGeneration } from '../generation/generation.ts';
import type { GenerationRequest } from '../generation/generation-request.ts';
import type { GenerationResult } from '../generation/generation-result.ts';
import { createOperationLog, type Traced } from '../log/operation-log.ts';
import type { TraceLog } from '../log/trace-log.ts';

type Publications = GenerationResult['publications'];

interface Deps {
  readonly generation: Pick<Generation, 'run'>;
  /** What a generation has published is made its owner's, or removed again. */
  readonly publisher: {
    commit(publications: Publications): Promise<void>;
    discard(publications: Publications): Promise<void>;
  };
  readonly log: TraceLog;
}

/** Work in two steps: what `run` made belongs to nobody until it is kept, once, or dropped. */
export interface Operation<R, T> {
  run(signal: AbortSignal): Promise<R>;
  /** Rejects when it cannot be kept; it is dropped then. */
  keep(made: R): Promise<T>;
  /** Leaves nothing of it behind. */
  drop(made: R, reason: BridgeError): Promise<void>;
}

/** An operation that can be watched while it runs, by who starts it instead of just running it. */
export interface ImageOperation extends Operation<GenerationResult, ImageResponseWithBytes> {
  start(signal: AbortSignal): RunningGeneration;
}

export type ImageOperations = ReturnType<typeof createImageOperations>;

/** One generation with its publications and its lines in the log, whoever waits for it and for how long. */
export function createImageOperations({ generation, publisher, log }: Deps) {
  const lines = createOperationLog(log);

  async function watched<T>(traced: Traced, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const error = toBridgeError(thrown);
      lines.failed(traced, error);
      throw error;
    }
  }

  /** What cannot be removed now is removed at the next start. */
  async function discard(publications: Publications): Promise<void> {
    if (publications.length > 0) await publisher.discard(publications).catch(() => {});
  }

  return {
    newOperation(
      request: GenerationRequest,
      context: Omit<GenerationContext, 'signal'>,
      traced: Traced,
    ): ImageOperation {
      function start(signal: AbortSignal): RunningGeneration {
        lines.started(traced);
        const running = generation.run(request, { ...context, signal });
        return { ...running, result: watched(traced, () => running.result) };
      }

      return {
        start,

        run(signal) {
          const running = start(signal);
          running.ignoreEvents();
          return running.result;
        },

        async keep({ response, publications }) {
          await watched(traced, async () => {
            if (publications.length === 0) return;
            try {
              await publisher.commit(publications);
            } catch (failure) {
              // A file whose owner cannot be written down must not stay.
              await discard(publications);
              throw failure;
            }
          });
          lines.succeeded(traced, response.provider);
          return response;
        },

        async drop({ response, publications }, reason) {
          await discard(publications);
          lines.failed(traced, reason.with({ provider: response.provider }));
        },
      };
    },

    /** Notes a request that was refused before there was anything to run. */
    refused(traced: Traced, thrown: unknown): BridgeError {
      const error = toBridgeError(thrown);
      lines.started(traced);
      lines.failed(traced, error);
      return error;
    },
  };
}

/** Runs and keeps; what was made for a client that has left since is dropped. Rejects with the signal's reason then. */
export async function carryOut<R, T>(
  operation: Operation<R, T>,
  signal: AbortSignal,
  running = operation.run(signal),
): Promise<T> {
  const made = await running;
  if (!signal.aborted) return operation.keep(made);
  await operation.drop(made, toBridgeError(signal.reason));
  throw signal.reason;
}
