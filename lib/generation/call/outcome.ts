import type { Cost } from '../../contract/reply/cost.ts';
import type { SessionReport, Usage, Warning } from '../../contract/reply/image-response.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { FinishedOutput } from '../finish/finish.ts';

/** The failure of one output. */
export interface OutputFailure {
  readonly index: number;
  readonly error: BridgeError;
  readonly generationMs: number;
}

/** The result of the calls of one route. */
export interface RouteResult {
  /** Sorted by index, ascending. */
  readonly outputs: readonly FinishedOutput[];
  /** Sorted by index, ascending. Empty under `fail_fast`. */
  readonly failures: readonly OutputFailure[];
  readonly usage: Usage | undefined;
  /** The cost of the calls of this route. */
  readonly cost: Cost;
  /** The warnings of all calls and outputs in no particular order. A warning may occur more than once. */
  readonly warnings: readonly Warning[];
  /** Absent for an isolated session. */
  readonly session?: SessionReport;
}

interface Situation {
  readonly isFailFast: boolean;
  /** The number of outputs that succeeded. */
  readonly succeeded: number;
  /** The signal of the whole operation. */
  readonly signal: AbortSignal;
}

/**
 * Chooses the error of the whole request from `failures`, which are sorted by time. Returns undefined if at least one output
 * succeeded and is delivered. The ledger decides later if a client may retry the request.
 */
export function requestFailure(
  failures: readonly OutputFailure[],
  { isFailFast, succeeded, signal }: Situation,
): BridgeError | undefined {
  const [first] = failures;
  if (!first) return undefined;
  const reason = signal.aborted ? toBridgeError(signal.reason) : undefined;
  // Finished outputs are delivered at the deadline, but not to a client that has disconnected.
  const isDisconnected = reason !== undefined && reason.code !== 'timeout';
  if (!isFailFast && succeeded > 0 && !isDisconnected) return undefined;
  const ofDisconnect = failures.find(({ error }) => error.code === reason?.code);
  const { error } = isDisconnected ? (ofDisconnect ?? first) : first;
  if (error.details['provider_stopped'] === undefined) return error;
  const isRunning = failures.some((failure) => failure.error.details['provider_stopped'] === false);
  return error.with({ details: { provider_stopped: !isRunning } });
}

/**
 * Adds the usage of two calls. The sum omits a member that neither of the calls reports. Returns undefined if neither call reports
 * its usage.
 */
export function addUsage(sum: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (!sum || !more) return sum ?? more;
  const { provider: one, ...tokens } = sum;
  const { provider: other, ...moreTokens } = more;
  const provider = addMembers(one, other);
  return { ...addMembers(tokens, moreTokens), ...(provider ? { provider } : {}) };
}

function addMembers<T extends Readonly<Record<string, number | undefined>>>(
  one: T | undefined,
  other: T | undefined,
): T | undefined {
  if (!one || !other) return one ?? other;
  // Uses a map because the provider chooses the names, and a name must not refer to an inherited property.
  const sums = new Map(Object.entries(one));
  for (const [name, value] of Object.entries(other)) {
    sums.set(name, (sums.get(name) ?? 0) + (value ?? 0));
  }
  // Every member of the sum is a member of `one` or `other`, so the sum has the same type.
  return Object.fromEntries(sums) as T;
}
