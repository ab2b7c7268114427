import type { BridgeError } from '../../errors/bridge-error.ts';
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
