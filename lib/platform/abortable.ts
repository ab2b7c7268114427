/** What `work` gives; on abort rejects with the signal's reason at once, and `work` goes on unheard. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const quit = () => reject(signal.reason);
    const settled = () => signal.removeEventListener('abort', quit);
    signal.addEventListener('abort', quit, { once: true });
    work.then(resolve, reject).finally(settled);
    if (signal.aborted) quit();
  });
}
