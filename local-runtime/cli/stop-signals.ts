/**
 * Resolves on the first SIGTERM or SIGINT. A later SIGINT, such as a second Ctrl+C, ends the process immediately. A later
 * SIGTERM has no effect, because an interrupted handoff sends SIGTERM again when it continues, and running work must not end
 * early.
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
