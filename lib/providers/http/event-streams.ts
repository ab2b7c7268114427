import type { HttpBody } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import { afterOutputBegan, unknownOutcome } from '../failed-calls.ts';
import {
  createSseReader,
  type OpenStreamReader,
  type StreamFault,
  type StreamLimits,
} from './sse-reader.ts';
import type { StreamedJson } from './streamed-json.ts';

interface Deps {
  readonly limits: StreamLimits;
  readonly slices: TimeSlices;
  readonly clock: Pick<Clock, 'after'>;
  readonly openReader?: OpenStreamReader;
}

/** Reduces one stream of events to a result. */
export interface EventConsumer<T> {
  /** Takes the next event. What it throws ends the reading. */
  take(event: StreamedJson): void;
  /** Nothing that follows changes the outcome. */
  isComplete(): boolean;
  /** The image that is likely to be sent again. If it is, both share their memory. */
  knownBytes(): Buffer | undefined;
  /** True once output has begun, usable or not: from then on the call may be paid for, however it ends. */
  hasBegun(): boolean;
  /** Returns the result at the end of the stream. Throws if the stream has none. */
  result(): T;
}

// The end of a complete response follows at once, and then the connection can be used again.
const LINGER_MS = 50;

/** Reads streams of events in slices of the event loop: many streams at once do not delay other work. */
export function createEventStreams({ limits, slices, clock, openReader = createSseReader }: Deps) {
  async function readAll<T>(
    body: HttpBody,
    consumer: EventConsumer<T>,
    signal: AbortSignal,
  ): Promise<void> {
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
  }

  return {
    /**
     * Reads until the consumer is complete or the stream ends, and resolves with the result. The connection is closed unless
     * it has reached its end. Throws `protocol` of unknown outcome for a stream that exceeds its limits or is not JSON. Every
     * failure after output has begun is of unknown outcome, or says that images were made.
     */
    async read<T>(body: HttpBody, consumer: EventConsumer<T>, signal: AbortSignal): Promise<T> {
      try {
        await readAll(body, consumer, signal);
        return consumer.result();
      } catch (thrown) {
        signal.throwIfAborted();
        throw consumer.hasBegun() ? afterOutputBegan(thrown) : thrown;
      }
    },
  };
}

export type EventStreams = ReturnType<typeof createEventStreams>;
