import { invalidField } from '../schema/issues.ts';

/** The one key of a request, which may be in its body and in its head. Throws `invalid_request` when they differ. */
export function toIdempotencyKey(
  inBody: string | null,
  inHeader: string | undefined,
): string | undefined {
  if (inBody !== null && inHeader !== undefined && inBody !== inHeader) {
    throw invalidField(
      'idempotency_key',
      'conflict',
      'must be the same as the header Idempotency-Key when both are given',
    );
  }
  return inBody ?? inHeader;
}
