import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';

export interface OutputFailure {
  readonly index: number;
  readonly error: BridgeError;
  readonly generationMs: number;
  /** The provider had made it, and its verification was ended: it is paid for. */
  readonly isMade?: boolean;
}

interface Situation {
  readonly isFailFast: boolean;
  /** How many outputs succeeded. */
  readonly succeeded: number;
  /** A call of the request had been dispatched. */
  readonly dispatched: boolean;
  /** The signal of the whole operation. */
  readonly signal: AbortSignal;
}

/**
 * The error of the whole request after these failures, in the order in which they happened. Undefined when the outputs that
 * succeeded are delivered beside them: at least one has to (specification 2.10.7).
 */
export function requestFailure(
  failures: readonly OutputFailure[],
  { isFailFast, succeeded, dispatched, signal }: Situation,
): BridgeError | undefined {
  const [first] = failures;
  if (!first) return undefined;
  const reason = signal.aborted ? toBridgeError(signal.reason) : undefined;
  // At the deadline what is ready is delivered; a client that disconnected gets nothing.
  const isDisconnected = reason !== undefined && reason.code !== 'timeout';
  if (!isFailFast && succeeded > 0 && !isDisconnected) return undefined;
  const ofDisconnect = failures.find(({ error }) => error.code === reason?.code);
  const { error } = isDisconnected ? (ofDisconnect ?? first) : first;
  const made = succeeded + failures.filter(({ isMade }) => isMade).length;
  return withSiblings(error, failures, { dispatched, made });
}

/** The error as the whole request's: a repeated request repeats all of its outputs, and pays for all of them. */
function withSiblings(
  error: BridgeError,
  failures: readonly OutputFailure[],
  { dispatched, made }: { readonly dispatched: boolean; readonly made: number },
): BridgeError {
  const details = failures.map((failure) => failure.error.details);
  const isUnknown = details.some(({ outcome }) => outcome === 'unknown');
  const isEnded = error.details['provider_stopped'] !== undefined;
  const isRunning = details.some(({ provider_stopped }) => provider_stopped === false);
  const isLate = error.code === 'timeout' && dispatched;
  return error.with({
    retryable: error.retryable && !isUnknown && !isLate && made === 0,
    details: {
      ...(isUnknown ? { outcome: 'unknown' } : {}),
      ...(isEnded ? { provider_stopped: !isRunning } : {}),
      ...(made > 0 ? { succeeded_outputs: made } : {}),
    },
  });
}
