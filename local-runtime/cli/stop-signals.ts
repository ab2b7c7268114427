/**
 * Resolves on the first SIGTERM or SIGINT. A later SIGINT, from someone at the keyboard, ends the process at once. A later
 * SIGTERM has no effect, because a handoff that continues an interrupted stop sends SIGTERM again, and this signal must not
 * end running work.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = () => {
      isStopping = true;
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', () => {
      if (isStopping) process.exit(1);
      stop();
    });
  });
}
