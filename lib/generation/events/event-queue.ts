import type { GenerationEvent } from './generation-event.ts';

const MAX_WAITING = 64;
/** Partial images hold their bytes; one that is larger still waits alone. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** A bounded queue of events between a generation and its reader, at the pace of the reader. */
export interface EventQueue {
  push(event: GenerationEvent): void;
  /** No event follows; the reader comes to its end after what still waits. */
  end(): void;
  /** Discards what waits and all later events. A reader comes to its end. */
  discard(): void;
  readonly events: AsyncIterable<GenerationEvent>;
}

/** A bounded queue for one reader. It never blocks its writer: a slow reader misses events that later ones supersede. */
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
      while (isTooMuch(waiting)) waiting.splice(indexToDiscard(waiting), 1);
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    discard() {
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

/** The index of the oldest event that a later one supersedes; of the oldest of all when there is none. */
function indexToDiscard(waiting: readonly GenerationEvent[]): number {
  const superseded = waiting.findIndex((event, index) =>
    waiting.slice(index + 1).some((later) => isOfSameSubject(event, later)),
  );
  return Math.max(superseded, 0);
}

function isOfSameSubject(one: GenerationEvent, other: GenerationEvent): boolean {
  return one.type === other.type && one.index === other.index;
}
