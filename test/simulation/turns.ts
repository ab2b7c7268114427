/** Tells when the code under simulation waits for nothing but the clock and the network of the simulation. */
export interface Turns {
  /**
   * Runs work that takes real time, such as the decoding of an image. Its result arrives when all other code is idle, and results
   * arrive in the order in which their work began, so that the speed of the machine changes nothing.
   */
  outside<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all code is idle. */
  untilIdle(): Promise<void>;
}

interface OutsideWork {
  readonly settled: Promise<unknown>;
  deliver(): void;
}

export function createTurns(): Turns {
  const begun: OutsideWork[] = [];

  return {
    outside(work) {
      return new Promise((resolve, reject) => {
        let deliver = () => {};
        const settled = work().then(
          (value) => {
            deliver = () => resolve(value);
          },
          (error: unknown) => {
            deliver = () => reject(error);
          },
        );
        begun.push({ settled, deliver: () => deliver() });
      });
    },

    async untilIdle() {
      for (;;) {
        // All promises that depend only on other promises settle before the next turn.
        do await nextTurn();
        while (process.getActiveResourcesInfo().includes('Immediate'));
        const next = begun.shift();
        if (!next) return;
        await next.settled;
        next.deliver();
      }
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
