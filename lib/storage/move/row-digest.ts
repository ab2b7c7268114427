import { hash } from 'node:crypto';
import type { MovedRow, TableDigest } from '../state-move-port.ts';
import { toStoredText } from '../stored-text.ts';

/** Separates the columns of a row (ASCII unit separator). */
const SEPARATOR = '\x1f';
/** The bytes of the SHA-256 of a row that are added up. */
const BYTES = 6;

export type RowDigest = ReturnType<typeof createRowDigest>;

/**
 * Creates the digest of rows that are added one by one: the sum of the first 48 bits of the SHA-256 of each row, so that the order
 * of the rows does not matter. `digestSql` computes the same digest in PostgreSQL.
 */
export function createRowDigest() {
  let rows = 0;
  let sum = 0n;
  return {
    add(row: MovedRow): void {
      const text = row.map(toText).join(SEPARATOR);
      sum += BigInt(hash('sha256', text, 'buffer').readUIntBE(0, BYTES));
      rows += 1;
    },
    end: (): TableDigest => ({ rows, checksum: sum.toString() }),
  };
}

function toText(value: string | number | null): string {
  if (value === null) return 'n';
  return typeof value === 'string' ? `v${toStoredText(value)}` : `v${value}`;
}

/** Returns the query of PostgreSQL with the columns of `TableDigest`. `from` is the rest of the query, which begins with FROM. */
export function digestSql(columns: readonly string[], from: string): string {
  const values = columns.map((column) => `coalesce('v' || ${column}, 'n')`).join(', ');
  const text = `concat_ws(E'\\x1f', ${values})`;
  const hex = `encode(substr(sha256(convert_to(${text}, 'UTF8')), 1, ${BYTES}), 'hex')`;
  return `
    SELECT count(*) AS rows,
      coalesce(sum(('x' || ${hex})::bit(${8 * BYTES})::bigint), 0)::text AS checksum
    ${from}`;
}
