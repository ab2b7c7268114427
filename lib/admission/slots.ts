/** A fixed number of places, taken in the order of asking. */
export interface Slots {
  /** Resolves with a function that gives the place back; rejects with the signal's reason when it aborts first. */
  take(signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  readonly enter: () => void;
}

/** Places for at most `limit` at a time. Entering and leaving the queue takes constant time. */
export function createSlots(limit: number): Slots {
  let taken = 0;
  // A Set keeps its order and forgets a waiter at once, wherever it stands.
  const queue = new Set<Waiter>();

  function giveBackOnce(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      taken -= 1;
      const [next] = queue;
      if (next) next.enter();
    };
  }

  return {
    take(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (taken < limit) {
        taken += 1;
        return Promise.resolve(giveBackOnce());
      }
      return new Promise((resolve, reject) => {
        const leave = () => {
          queue.delete(waiter);
          reject(signal.reason);
        };
        const waiter: Waiter = {
          enter() {
            queue.delete(waiter);
            signal.removeEventListener('abort', leave);
            taken += 1;
            resolve(giveBackOnce());
          },
        };
        queue.add(waiter);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
