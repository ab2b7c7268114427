import type { HttpBody } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import {
  createSseReader,
  type OpenStreamReader,
  type StreamFault,
  type StreamLimits,
} from './sse-reader.ts';
import type { StreamedJson } from './streamed-json.ts';
import { unknownOutcome } from './unknown-outcome.ts';

interface Deps {
  readonly limits: StreamLimits;
  readonly slices: TimeSlices;
  readonly clock: Pick<Clock, 'after'>;
  readonly openReader?: OpenStreamReader;
}

/** What one stream is read for. */
export interface EventConsumer {
  /** Takes the next event. What it throws ends the reading. */
  take(event: StreamedJson): void;
  /** Nothing that follows changes the outcome. */
  isComplete(): boolean;
  /** The image that is likely to be sent again. If it is, both share their memory. */
  knownBytes(): Buffer | undefined;
}

// The end of a complete response follows at once, and then the connection can be used again.
const LINGER_MS = 50;

/** Reads streams of events in slices of the event loop: many streams at once do not delay other work. */
export function createEventStreams({ limits, slices, clock, openReader = createSseReader }: Deps) {
  return {
    /**
     * Reads until the consumer is complete or the stream ends. The connection is closed unless it has reached its end.
     * Throws `protocol` of unknown outcome for a stream that exceeds its limits or is not JSON.
     */
    async read(body: HttpBody, consumer: EventConsumer, signal: AbortSignal): Promise<void> {
      const reader = openReader(limits, consumer.take, consumer.knownBytes);
      let stopLingering = () => {};
      const step = (read: () => StreamFault | undefined) =>
        slices.runStep(() => {
          const fault = read();
          if (fault && !consumer.isComplete()) throw unknownOutcome(fault);
        }, signal);
      try {
        for await (const chunk of body) {
          if (consumer.isComplete()) continue;
          await step(() => reader.push(chunk));
          if (consumer.isComplete()) stopLingering = clock.after(LINGER_MS, () => body.destroy());
        }
        if (!consumer.isComplete()) await step(reader.end);
      } catch (thrown) {
        // A connection that breaks behind the complete response changes nothing.
        if (!consumer.isComplete()) throw thrown;
      } finally {
        stopLingering();
      }
    },
  };
}

export type EventStreams = ReturnType<typeof createEventStreams>;
