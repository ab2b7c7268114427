import type { Timings } from '../contract/reply/image-response.ts';
import type { Clock } from '../platform/clock.ts';

type Phase = 'queue' | 'input' | 'provider' | 'artifact';

export type Times = ReturnType<typeof startTimes>;

/** Starts to measure the phases of one operation, failed routes included. */
export function startTimes(clock: Pick<Clock, 'monotonicMs'>) {
  const begunMs = clock.monotonicMs();
  const spentMs: Record<Phase, number> = { queue: 0, input: 0, provider: 0, artifact: 0 };

  return {
    add(phase: Phase, durationMs: number): void {
      spentMs[phase] += durationMs;
    },

    /** Settles as `work` settles, and adds the duration of `work` to the phase. */
    async of<T>(phase: Phase, work: Promise<T>): Promise<T> {
      const startedMs = clock.monotonicMs();
      try {
        return await work;
      } finally {
        spentMs[phase] += clock.monotonicMs() - startedMs;
      }
    },

    report(): Timings {
      return {
        queue_ms: Math.round(spentMs.queue),
        input_ms: Math.round(spentMs.input),
        provider_ms: Math.round(spentMs.provider),
        artifact_ms: Math.round(spentMs.artifact),
        total_ms: Math.round(clock.monotonicMs() - begunMs),
      };
    },
  };
}
