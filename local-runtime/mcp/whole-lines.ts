import { Transform } from 'node:stream';

const NEWLINE = 0x0a;

/**
 * Passes on what it gets in whole lines. The protocol's library searches and copies an unfinished line again with each of
 * its parts, which takes seconds for an image of some megabytes. Fails on a line that is longer than `maxBytes`.
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
      callback(length > maxBytes ? new RangeError('a line is too long') : null);
    },
  });
}
