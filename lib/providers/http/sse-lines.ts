const LF = 0x0a;
const CR = 0x0d;

/** Receives lines; a line arrives in as many parts as the network made of it. */
export interface LineSink {
  /** The next bytes of the current line; never a line's end. */
  part(bytes: Buffer): void;
  /** The line is complete; it may have been empty. */
  end(): void;
}

/** Splits chunks into lines that end with LF, CR or CRLF, wherever the chunks are cut. Copies nothing. */
export function createLineSplitter(sink: LineSink): (chunk: Buffer) => void {
  let afterCr = false;
  return (chunk) => {
    // The LF of a CRLF that the network cut in two.
    let at = afterCr && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) afterCr = false;
    // Found once and stored: where lines end with CR, looking for the next LF every time would be quadratic.
    let lf = -1;
    while (at < chunk.length) {
      if (lf < at) lf = indexOfByte(LF, chunk, at, chunk.length);
      const end = indexOfByte(CR, chunk, at, lf);
      if (end > at) sink.part(chunk.subarray(at, end));
      if (end === chunk.length) return;
      sink.end();
      const isCr = chunk[end] === CR;
      at = end + (isCr && chunk[end + 1] === LF ? 2 : 1);
      afterCr = isCr && at === chunk.length && chunk[at - 1] === CR;
    }
  };
}

/** The index of the first such byte between `from` and `to`, else `to`. */
function indexOfByte(byte: number, chunk: Buffer, from: number, to: number): number {
  const found = chunk.subarray(from, to).indexOf(byte);
  return found === -1 ? to : from + found;
}
