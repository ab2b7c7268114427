export type Notifier = ReturnType<typeof createNotifier>;

/** Lets one reader wait for its writers. It holds one fact: whether it was notified since the last wait. */
export function createNotifier() {
  let isNotified = false;
  let resume = () => {};
  return {
    notify(): void {
      isNotified = true;
      resume();
    },

    /** Resolves at the next `notify`, or at once when there was one since the last wait. */
    async wait(): Promise<void> {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      isNotified = false;
    },
  };
}
