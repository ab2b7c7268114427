import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';

export interface OutputFailure {
  readonly index: number;
  readonly error: BridgeError;
  readonly generationMs: number;
}

interface Situation {
  readonly isFailFast: boolean;
  /** How many outputs came out. */
  readonly succeeded: number;
  /** Something of the request had been dispatched. */
  readonly dispatched: boolean;
  /** The signal of the whole operation. */
  readonly signal: AbortSignal;
}

/**
 * What failures, in the order in which they happened, make of the whole request: an error, or undefined when what came out
 * is delivered beside them. All outputs failed is never a success (specification 2.10.7).
 */
export function requestFailure(
  failures: readonly OutputFailure[],
  { isFailFast, succeeded, dispatched, signal }: Situation,
): BridgeError | undefined {
  const [first] = failures;
  if (!first) return undefined;
  const reason = signal.aborted ? toBridgeError(signal.reason) : undefined;
  // At the deadline what is ready is delivered; who has left gets nothing.
  const hasLeft = reason !== undefined && reason.code !== 'timeout';
  if (!isFailFast && succeeded > 0 && !hasLeft) return undefined;
  const byLeaving = failures.find(({ error }) => error.code === reason?.code);
  const { error } = hasLeft ? (byLeaving ?? first) : first;
  return knowingTheOthers(error, failures, dispatched);
}

/** The error as the whole request's: whoever repeats it repeats all outputs, and pays for all of them. */
function knowingTheOthers(
  error: BridgeError,
  failures: readonly OutputFailure[],
  dispatched: boolean,
): BridgeError {
  const details = failures.map((failure) => failure.error.details);
  const isUnknown = details.some(({ outcome }) => outcome === 'unknown');
  const isEnded = error.details['provider_stopped'] !== undefined;
  const isRunning = details.some(({ provider_stopped }) => provider_stopped === false);
  return error.with({
    retryable: error.retryable && !isUnknown && !(error.code === 'timeout' && dispatched),
    details: {
      ...(isUnknown ? { outcome: 'unknown' } : {}),
      ...(isEnded ? { provider_stopped: !isRunning } : {}),
    },
  });
}
