import { invalidField } from '../schema/issues.ts';

/**
 * Returns the idempotency key of a request, from its body or its header. Throws `invalid_request` if both are given and
 * differ.
 */
export function toIdempotencyKey(
  inBody: string | null,
  inHeader: string | undefined,
): string | undefined {
  if (inBody !== null && inHeader !== undefined && inBody !== inHeader) {
    throw invalidField(
      'idempotency_key',
      'conflict',
      'must equal the header Idempotency-Key if both are given',
    );
  }
  return inBody ?? inHeader;
}
