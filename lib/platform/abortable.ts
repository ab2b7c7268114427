/**
 * Settles as `work` does. Rejects with the signal's reason at once on abort; `work` itself continues, and its outcome is
 * ignored.
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
