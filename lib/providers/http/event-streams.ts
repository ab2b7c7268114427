import type { HttpBody } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { createLoopShare } from './loop-share.ts';
import { createSseReader, type StreamLimits } from './sse-reader.ts';
import { type CallOutcome, unknownOutcome } from '../agent-responses/call-outcome.ts';

// The end of a completed answer follows at once, and then the connection can be used again.
const LINGER_MS = 50;

export type StreamReader = ReturnType<typeof createStreamReader>;

/** Reads streams, all of them together with no more than a fair share of the event loop. */
export function createStreamReader(limits: StreamLimits, clock: Clock) {
  const share = createLoopShare(clock);

  /** Reads until the outcome is complete, or the stream ends; closes the connection where that is not its end. */
  return async function readStream(body: HttpBody, outcome: CallOutcome): Promise<void> {
    const reader = createSseReader(limits, outcome.take, outcome.image);
    let stopLingering = () => {};
    try {
      for await (const chunk of body) {
        if (outcome.isCompleted()) continue;
        await share.run(() => {
          const fault = reader.push(chunk);
          if (fault && !outcome.isCompleted()) throw unknownOutcome(fault);
        });
        if (outcome.isCompleted()) stopLingering = clock.after(LINGER_MS, () => body.destroy());
      }
    } catch (thrown) {
      // What breaks behind the completed answer changes nothing.
      if (!outcome.isCompleted()) throw thrown;
    } finally {
      stopLingering();
    }
  };
}
