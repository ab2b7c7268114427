/**
 * Settles like `work`, but rejects with the signal's reason immediately on abort. After an abort, `work` continues and its
 * outcome is ignored.
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const onSettled = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(onSettled);
    if (signal.aborted) onAbort();
  });
}

/**
 * Runs `work` unless the signal has aborted, and calls `release` when `work` has settled. Rejects with the signal's reason
 * immediately on abort, even while `work` runs.
 */
export function runAndRelease<T>(
  release: () => void,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const settle = async () => {
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      release();
    }
  };
  return abortable(settle(), signal);
}
