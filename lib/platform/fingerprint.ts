import { createHash } from 'node:crypto';

/**
 * The SHA-256 of one request to one operation, in lowercase hexadecimal. It does not depend on the order of members, and
 * differs from operation to operation. `request` is plain JSON; undefined members count as absent.
 */
export function toFingerprint(operationId: string, request: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([operationId, toCanonical(request)]))
    .digest('hex');
}

/** Pairs instead of members: JSON puts names that look like numbers first, and `__proto__` is no ordinary member. */
function toCanonical(value: unknown): unknown {
  if (Array.isArray(value)) return { list: value.map(toCanonical) };
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, toCanonical(member)]);
}
