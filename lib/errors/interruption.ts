import { BridgeError } from './bridge-error.ts';

const INTERRUPTED = 'interrupted';

/**
 * Returns the error of a job that the end of its process interrupts. The outcome is unknown, because images may have been made and
 * charged.
 */
export function interruption(): BridgeError {
  return new BridgeError('cancelled', 'the bridge stopped while the job was running', {
    retryable: false,
    details: { outcome: 'unknown', reason: INTERRUPTED },
  });
}

/** Returns true if the error or the reason of a signal is an interruption. */
export function isInterruption(error: unknown): boolean {
  return error instanceof BridgeError && error.details['reason'] === INTERRUPTED;
}
