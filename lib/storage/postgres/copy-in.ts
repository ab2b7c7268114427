import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from } from 'pg-copy-streams';
import { toStoredText } from '../stored-text.ts';
import { toStoreError } from './driver-errors.ts';

/**
 * Adds rows with COPY, which takes a fraction of the time of INSERT. `target` is the table with its columns in parentheses, and
 * each row has one value for each column. Rejects with a store error.
 */
export async function copyIn(
  client: PoolClient,
  target: string,
  rows: readonly (readonly (string | number | null)[])[],
): Promise<void> {
  const copying = client.query(from(`COPY ${target} FROM STDIN`));
  copying.end(rows.map(toLine).join(''));
  await finished(copying).catch((error: unknown) => {
    throw toStoreError(error);
  });
}

// The text format of COPY (https://www.postgresql.org/docs/current/sql-copy.html).
const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function toLine(row: readonly (string | number | null)[]): string {
  return `${row.map(toField).join('\t')}\n`;
}

function toField(value: string | number | null): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  const text = toStoredText(value);
  return SPECIAL.test(text) ? text.replace(/[\\\t\n\r]/g, (one) => ESCAPES[one] ?? one) : text;
}
