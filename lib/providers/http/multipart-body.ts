import type { StreamedBody } from '../../net/http-client.ts';

/** One part of a form. Names and file names must not contain quotation marks or line breaks. */
export type FormPart =
  | { readonly name: string; readonly text: string }
  | {
      readonly name: string;
      readonly filename: string;
      readonly mediaType: string;
      readonly bytes: Buffer;
    };

/** A form body and its `Content-Type`. */
export interface FormBody {
  readonly contentType: string;
  readonly body: StreamedBody;
}

// Number of bytes that are written to the connection at a time.
const CHUNK_BYTES = 262_144;

/**
 * Returns a form with these parts in this order (RFC 7578). `boundary` must be random because no part may contain it.
 * Files are sent directly from their buffers because undici's own form copies all of them first.
 */
export function toMultipartBody(parts: readonly FormPart[], boundary: string): FormBody {
  const pieces = [
    ...parts.flatMap((part) => [
      Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`, 'utf8'),
      'text' in part ? Buffer.from(part.text, 'utf8') : part.bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      byteLength: pieces.reduce((sum, { length }) => sum + length, 0),
      async *chunks() {
        for (const piece of pieces) {
          for (let at = 0; at < piece.length; at += CHUNK_BYTES) {
            yield piece.subarray(at, at + CHUNK_BYTES);
          }
        }
      },
    },
  };
}

function headOf(part: FormPart): string {
  const disposition = `content-disposition: form-data; name="${part.name}"`;
  return 'text' in part
    ? disposition
    : `${disposition}; filename="${part.filename}"\r\ncontent-type: ${part.mediaType}`;
}
