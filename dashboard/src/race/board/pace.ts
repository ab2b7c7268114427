/** Runs at most one action in each interval. A later action with the same key replaces an action that still waits. */
export function createPace(gapMs: number) {
  const waiting = new Map<string, () => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function next(): void {
    timer = undefined;
    const [first] = waiting;
    if (first === undefined) return;
    const [key, run] = first;
    waiting.delete(key);
    timer = setTimeout(next, gapMs);
    run();
  }

  return {
    /** Runs the action when its turn has come. The returned function withdraws the action. */
    request(key: string, run: () => void): () => void {
      waiting.set(key, run);
      if (timer === undefined) next();
      return () => {
        if (waiting.get(key) === run) waiting.delete(key);
      };
    },
    close(): void {
      clearTimeout(timer);
      waiting.clear();
    },
  };
}
