/**
 * Creates a notifier on which one reader waits for writers. The notifier stores only whether `notify` was called since the last
 * wait.
 */
export function createNotifier() {
  let isNotified = false;
  let resume = () => {};
  return {
    notify(): void {
      isNotified = true;
      resume();
    },

    /** Resolves at the next `notify`, or at once if `notify` was called since the last wait. */
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
