import { Transform } from 'node:stream';

const NEWLINE = 0x0a;

/**
 * Creates a stream whose chunks contain only whole lines. Without this stream, the protocol library would copy an incomplete
 * line again for each chunk, which takes seconds for an image of several megabytes. Fails if a line is longer than `maxBytes`.
 */
export function createWholeLines(maxBytes: number): Transform {
  let parts: Buffer[] = [];
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end > 0) {
        this.push(Buffer.concat([...parts, chunk.subarray(0, end)]));
        parts = [];
        length = 0;
      }
      const rest = chunk.subarray(end);
      parts.push(rest);
      length += rest.length;
      callback(length > maxBytes ? new RangeError('line too long') : null);
    },
  });
}
