import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';

export interface OutputFailure {
  readonly index: number;
  readonly error: BridgeError;
  readonly generationMs: number;
}

interface Situation {
  readonly isFailFast: boolean;
  /** How many outputs succeeded. */
  readonly succeeded: number;
  /** The signal of the whole operation. */
  readonly signal: AbortSignal;
}

/**
 * Chooses the error of the whole request after these failures, in the order in which they happened. Returns undefined if the
 * outputs that succeeded are delivered beside them, of which there must be one. The ledger decides what a client may do next.
 */
export function requestFailure(
  failures: readonly OutputFailure[],
  { isFailFast, succeeded, signal }: Situation,
): BridgeError | undefined {
  const [first] = failures;
  if (!first) return undefined;
  const reason = signal.aborted ? toBridgeError(signal.reason) : undefined;
  // At the deadline what is ready is delivered; a client that disconnected gets nothing.
  const isDisconnected = reason !== undefined && reason.code !== 'timeout';
  if (!isFailFast && succeeded > 0 && !isDisconnected) return undefined;
  const ofDisconnect = failures.find(({ error }) => error.code === reason?.code);
  const { error } = isDisconnected ? (ofDisconnect ?? first) : first;
  if (error.details['provider_stopped'] === undefined) return error;
  const isRunning = failures.some((failure) => failure.error.details['provider_stopped'] === false);
  return error.with({ details: { provider_stopped: !isRunning } });
}
