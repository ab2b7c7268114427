/** One part of a form. `headers` replace all headers of the part. */
export interface SentPart {
  readonly name?: string;
  readonly filename?: string;
  readonly type?: string;
  readonly headers?: readonly string[];
  readonly content?: string | Buffer;
}

// The boundary is as long as those of real clients.
export const BOUNDARY = '----form-of-a-test-0123456789abcdef';

/** Returns the bytes of a form with these parts. */
export function formBytes(parts: readonly SentPart[], boundary = BOUNDARY): Buffer {
  const pieces = parts.flatMap((part) => [
    `--${boundary}\r\n${headOf(part)}\r\n\r\n`,
    part.content ?? '',
    '\r\n',
  ]);
  return joined([...pieces, `--${boundary}--\r\n`]);
}

export function formType(boundary = BOUNDARY): string {
  return `multipart/form-data; boundary=${boundary}`;
}

/** Joins texts, as UTF-8, and bytes in one buffer. */
export function joined(pieces: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}

/** Splits bytes into pieces of the lengths that `nextBytes` returns. */
export function inChunks(body: Buffer, nextBytes: () => number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + nextBytes();
    chunks.push(body.subarray(at, end));
    at = end;
  }
  return chunks;
}

function headOf({ name = 'a', filename, type, headers }: SentPart): string {
  if (headers) return headers.join('\r\n');
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  const disposition = `Content-Disposition: form-data; name="${name}"${file}`;
  return type === undefined ? disposition : `${disposition}\r\nContent-Type: ${type}`;
}
