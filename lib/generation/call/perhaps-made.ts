import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';

/** Failures after the provider had made something, or of which that is not known. */
const AFTERWARDS: ReadonlySet<ErrorCode> = new Set(['protocol', 'artifact', 'internal']);

/** Whether images that failed like this may have been made, and paid for. */
export function isPerhapsMade({ code, details }: BridgeError): boolean {
  return details['outcome'] === 'unknown' || AFTERWARDS.has(code);
}

/** How many images of a request may have been made that failed as a whole. */
export function perhapsMadeOf(error: BridgeError, outputs: number): number {
  if (isPerhapsMade(error)) return outputs;
  const succeeded = error.details['succeeded_outputs'];
  return typeof succeeded === 'number' ? succeeded : 0;
}

/**
 * Settles as `work` does, which comes after so many images were made. Its failure asks for no repeat: they are paid for, and
 * a repeated request would pay again (contract.md 8).
 */
export async function afterMade<T>(work: Promise<T>, made: number): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const error = toBridgeError(thrown);
    if (!error.retryable) throw thrown;
    throw error.with({ retryable: false, details: { succeeded_outputs: made } });
  }
}
