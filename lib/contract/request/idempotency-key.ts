import { isUtf8 } from 'node:buffer';
import { invalidField } from '../schema/issues.ts';

/** The one key of a request, which may say it in its body and in its head. Throws `invalid_request` when they differ. */
export function toIdempotencyKey(
  inBody: string | null,
  inHeader: string | undefined,
): string | undefined {
  const fromHeader = inHeader === undefined ? undefined : toText(inHeader);
  if (inBody !== null && fromHeader !== undefined && inBody !== fromHeader) {
    throw invalidField(
      'idempotency_key',
      'conflict',
      'must be the same as the header Idempotency-Key when both are given',
    );
  }
  return inBody ?? fromHeader;
}

/** Node reads a head as ISO 8859-1; clients write UTF-8 into it. */
function toText(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header;
}
