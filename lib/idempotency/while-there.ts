/** What `work` gives; rejects with the signal's reason as soon as the client has left, and `work` goes on without it. */
export function whileThere<T>(work: Promise<T>, client: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(client.reason);
    const forget = () => client.removeEventListener('abort', leave);
    client.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(forget);
    if (client.aborted) leave();
  });
}
