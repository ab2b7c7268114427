import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import { toIdempotencyKey } from '../contract/request/idempotency-key.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import { tokenRemoval } from '../errors/token-removal.ts';
import { toFingerprintedRequest } from '../generation/fingerprinted-request.ts';
import type { RunningGeneration } from '../generation/generation.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import type { GenerationResult } from '../generation/generation-result.ts';
import { createLedger } from '../generation/ledger/ledger.ts';
import { identifyInputs } from '../inputs/input-identities.ts';
import { toInputSources } from '../inputs/to-input-sources.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import type { ImageRun, ImageRuns } from '../runs/image-run.ts';
import type { Usage } from '../usage/usage.ts';

interface Deps {
  readonly runs: ImageRuns;
  /** Gives what a run has published its owner. */
  readonly publisher: { commit(publications: GenerationResult['publications']): Promise<void> };
  readonly slices: TimeSlices;
  readonly usage: Pick<Usage, 'accountFor'>;
  readonly tokens: {
    /** Calls `onRemoval` if the token was removed, or within seconds after its removal. Returns how to end the watch. */
    watchRemoval(id: string, onRemoval: () => void): () => void;
  };
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

/** A request that has passed the checks that need no provider, and its run. */
export interface PreparedRequest {
  readonly key: string | undefined;
  readonly run: ImageRun<ImageResponseWithBytes>;
  /** Equal for equal requests to one operation for the same kind of result. */
  fingerprintFor(result: 'images' | 'stream'): Promise<string>;
}

/** Makes a run of a request. A request that is wrong before there is anything to run is logged as a failure. */
export function createPrepareRequest(deps: Deps) {
  const { runs, publisher, slices, usage, tokens, maxInputBytes } = deps;

  async function commit({ response, publications }: GenerationResult) {
    if (publications.length > 0) await publisher.commit(publications);
    return response;
  }

  /** Throws `input`, `invalid_request`, `unsupported_capability`, or the signal's reason. */
  return async function prepare(
    sent: AnyImageRequest,
    context: RequestContext,
  ): Promise<PreparedRequest> {
    try {
      const key = toIdempotencyKey(sent.idempotency_key, context.idempotencyKey);
      const inputs = await slices.run(toInputSources(sent, maxInputBytes), context.signal());
      const request = toGenerationRequest(sent, inputs);
      const ledger = createLedger(usage.accountFor(context.caller), request.parameters.n);
      return {
        key,
        run: untilRemoval(runs.newRun(request, { ...context, ledger }, { commit }), (onRemoval) =>
          tokens.watchRemoval(context.caller.id, onRemoval),
        ),
        async fingerprintFor(result) {
          const identities = await identifyInputs(inputs, slices, context.signal());
          const equal = toFingerprintedRequest(sent, inputs, identities);
          return toFingerprint(`${context.operationId} ${result}`, equal);
        },
      };
    } catch (thrown) {
      throw runs.refused(context, thrown);
    }
  };
}

/** The same run, which is cancelled when the token of its caller is removed, even if no client waits for the run. */
function untilRemoval<T>(
  run: ImageRun<T>,
  watch: (onRemoval: () => void) => () => void,
): ImageRun<T> {
  function start(signal: AbortSignal): RunningGeneration {
    const linked = linkSignal(signal);
    const unwatch = watch(() => linked.abort(tokenRemoval()));
    const running = run.start(linked.signal);
    const end = () => {
      unwatch();
      linked.end();
    };
    running.result.then(end, end);
    return running;
  }

  return {
    ...run,
    start,
    make(signal) {
      const running = start(signal);
      running.ignoreEvents();
      return running.result;
    },
  };
}
