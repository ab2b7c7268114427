import type { GenerationEvent } from './generation-event.ts';

const MAX_WAITING = 64;
/** Partial images hold their bytes; one that is larger still waits alone. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** Events on their way from a generation to whoever reads them, at the reader's pace and under a bound. */
export interface EventQueue {
  push(event: GenerationEvent): void;
  /** No event follows; the reader comes to its end after what still waits. */
  end(): void;
  /** Nobody wants to hear any more: what waits is let go, nothing is kept from now on, a reader comes to its end. */
  drop(): void;
  readonly events: AsyncIterable<GenerationEvent>;
}

/** A bounded queue for one reader. It never holds its writer up: what a slow reader misses is what has been superseded. */
export function createEventQueue(): EventQueue {
  const waiting: GenerationEvent[] = [];
  let hasEnded = false;
  let wake = () => {};

  async function* read(): AsyncGenerator<GenerationEvent> {
    for (;;) {
      const event = waiting.shift();
      if (event) yield event;
      else if (hasEnded) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  return {
    push(event) {
      if (hasEnded) return;
      waiting.push(event);
      while (isTooMuch(waiting)) waiting.splice(leastWorth(waiting), 1);
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    drop() {
      hasEnded = true;
      waiting.length = 0;
      wake();
    },
    events: { [Symbol.asyncIterator]: read },
  };
}

function isTooMuch(waiting: readonly GenerationEvent[]): boolean {
  if (waiting.length < 2) return false;
  return waiting.length > MAX_WAITING || heldBytes(waiting) > MAX_WAITING_BYTES;
}

function heldBytes(waiting: readonly GenerationEvent[]): number {
  return waiting.reduce(
    (sum, event) => sum + (event.type === 'partial_image' ? event.bytes.length : 0),
    0,
  );
}

/** The place of the oldest event that a later one supersedes; of the very oldest when there is none. */
function leastWorth(waiting: readonly GenerationEvent[]): number {
  const superseded = waiting.findIndex((event, place) =>
    waiting.slice(place + 1).some((later) => isOfSameSubject(event, later)),
  );
  return Math.max(superseded, 0);
}

function isOfSameSubject(one: GenerationEvent, other: GenerationEvent): boolean {
  return one.type === other.type && one.index === other.index;
}
