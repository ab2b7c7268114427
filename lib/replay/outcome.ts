import { REPLAYED } from '../contract/request/image-request.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { ByteParts } from '../platform/byte-parts.ts';
import { type BridgeErrorCopy, copyBridgeError } from '../platform/thrown-copy.ts';
import type { StoredOutcome } from './replay-store-port.ts';

/** Converts an error of an earlier request to the error for a repeated request. */
export function toReplayedError(thrown: unknown): BridgeError {
  return restored(copyBridgeError(toBridgeError(thrown)));
}

/** Returns the value of an outcome for a repeated request. Throws the failure if the outcome is a failure. */
export function toReplayedValue(outcome: StoredOutcome): unknown {
  if (outcome.ok) return outcome.value;
  throw restored(outcome.failure);
}

function restored({ code, message, options }: BridgeErrorCopy): BridgeError {
  return new BridgeError(code, message, {
    ...options,
    headers: { ...options.headers, ...REPLAYED },
  });
}

const VALUE_BYTES = 16;

/** Estimates the memory size of a plain value, in bytes. Counts binary data exactly and text as UTF-16. */
export function memoryBytes(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length;
  if (value instanceof ByteParts) return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce<number>(
    (sum, member) => sum + VALUE_BYTES + memoryBytes(member),
    VALUE_BYTES,
  );
}
