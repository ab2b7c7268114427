import { toBridgeError } from '../errors/bridge-error.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { GenerationResult } from './generation-result.ts';

type Counted = Pick<Metrics, 'operationEnded' | 'imageGenerated' | 'normalized'>;

/** Counts one operation when its work has settled: how it ended, and what it delivered. */
export function countOperation(
  metrics: Counted,
  clock: Pick<Clock, 'monotonicMs'>,
  { operation }: Pick<GenerationRequest, 'operation'>,
) {
  const startedMs = clock.monotonicMs();
  return async (work: Promise<GenerationResult>): Promise<GenerationResult> => {
    try {
      const result = await work;
      const { provider, data, normalizations } = result.response;
      const durationMs = clock.monotonicMs() - startedMs;
      metrics.operationEnded({ provider, operation, result: 'succeeded', code: 'ok', durationMs });
      for (const { format, bytes } of data) metrics.imageGenerated({ provider, format, bytes });
      metrics.normalized(normalizations.length);
      return result;
    } catch (thrown) {
      const { provider, bridgeCode: code } = toBridgeError(thrown);
      const durationMs = clock.monotonicMs() - startedMs;
      metrics.operationEnded({ provider, operation, result: 'failed', code, durationMs });
      throw thrown;
    }
  };
}
