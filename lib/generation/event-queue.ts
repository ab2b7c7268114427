import type { GenerationEvent } from './generation-event.ts';

// Beyond this many waiting events an older partial image of the same output makes room for the newer one.
const MAX_WAITING = 64;

/** Events on their way from a generation to whoever reads them, at the reader's pace and under a bound. */
export interface EventQueue {
  push(event: GenerationEvent): void;
  /** No event follows; readers come to their end. */
  end(): void;
  readonly events: AsyncIterable<GenerationEvent>;
}

/**
 * A bounded queue for one reader. It never holds its writer up: when nobody reads, repeated progress and superseded
 * partial images are dropped, oldest first.
 */
export function createEventQueue(): EventQueue {
  let waiting: GenerationEvent[] = [];
  let ended = false;
  let wake: (() => void) | undefined;

  async function* read(): AsyncGenerator<GenerationEvent> {
    for (;;) {
      const event = waiting.shift();
      if (event) yield event;
      else if (ended) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  return {
    push(event) {
      if (ended) return;
      waiting.push(event);
      if (waiting.length > MAX_WAITING) waiting = withoutSuperseded(waiting);
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
    events: { [Symbol.asyncIterator]: read },
  };
}

/** Drops the oldest event that a later one makes worthless; the very oldest when there is none. */
function withoutSuperseded(events: readonly GenerationEvent[]): GenerationEvent[] {
  const seen = new Set<string>();
  const kept = events.toReversed().filter((event) => {
    const subject = `${event.type} ${event.index ?? ''}`;
    if (seen.has(subject)) return false;
    seen.add(subject);
    return true;
  });
  return kept.slice(0, MAX_WAITING).toReversed();
}
