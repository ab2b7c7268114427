import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 of a request to an operation, in lowercase hexadecimal. The fingerprint is independent of the order of
 * members and different for each operation. `request` is plain JSON. Undefined members count as absent.
 */
export function toFingerprint(operationId: string, request: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([operationId, toCanonical(request)]))
    .digest('hex');
}

/** Converts objects to sorted pairs, because JSON sorts numeric names first and `__proto__` is not an ordinary member. */
function toCanonical(value: unknown): unknown {
  if (Array.isArray(value)) return { list: value.map(toCanonical) };
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, toCanonical(member)]);
}
