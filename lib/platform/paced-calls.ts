import { createFifoQueue } from './fifo-queue.ts';

/**
 * Creates the function that makes calls in their order, at most `mostInTurn` of them in a turn of the event loop. The first calls
 * of a turn are made at once.
 */
export function createPacedCalls(mostInTurn: number): (call: () => void) => void {
  const waiting = createFifoQueue<() => void>();
  let left = mostInTurn;
  let isTurnScheduled = false;

  function make(call: () => void): void {
    left -= 1;
    if (!isTurnScheduled) setImmediate(startTurn);
    isTurnScheduled = true;
    call();
  }

  function startTurn(): void {
    isTurnScheduled = false;
    left = mostInTurn;
    while (left > 0) {
      const call = waiting.dequeue();
      if (call === undefined) return;
      make(call);
    }
  }

  return (call) => {
    if (left > 0) make(call);
    else waiting.enqueue(call);
  };
}
