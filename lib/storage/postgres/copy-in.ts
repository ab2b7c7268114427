import { type PoolClient, Query } from 'pg';
import { toStoredText } from '../stored-text.ts';
import { toStoreError } from './driver-errors.ts';

/** The part of the driver's connection that sends the data of COPY. The types of the package lack it. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * Adds rows with COPY, which takes a fraction of the time of INSERT. `target` is the table with its columns in parentheses, and each
 * row has one value for each column. Rejects with a store error.
 */
export function copyIn(
  client: PoolClient,
  target: string,
  rows: readonly (readonly (string | number | null)[])[],
): Promise<void> {
  const data = Buffer.from(rows.map(toLine).join(''));
  return new Promise((resolve, reject) => {
    // The driver calls this method when the server is ready for the data. The method of the class rejects COPY.
    const query = Object.assign(new Query(`COPY ${target} FROM STDIN`), {
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(data);
        connection.endCopyFrom();
      },
    });
    query.on('end', () => resolve());
    query.on('error', (error) => reject(toStoreError(error)));
    client.query(query);
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
