/**
 * Makes the process outlive the end of its terminal and a first SIGINT or SIGTERM, because requests are held until the handoff
 * has ended. A second one calls `onEnd`. Returns the way back to the usual signals.
 */
export function outliveSignals(callbacks: {
  readonly onFirst: () => void;
  readonly onEnd: () => void;
}): () => void {
  let isWarned = false;
  const onSignal = () => {
    if (isWarned) callbacks.onEnd();
    else callbacks.onFirst();
    isWarned = true;
  };
  const onHangup = () => {};
  process.on('SIGHUP', onHangup).on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => {
    process.off('SIGHUP', onHangup).off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
}
