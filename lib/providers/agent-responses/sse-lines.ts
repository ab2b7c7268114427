const LF = 0x0a;
const CR = 0x0d;

/** Where the bytes of lines go: a line comes in as many parts as the network made of it. */
export interface LineSink {
  /** The next bytes of the line under way; never a line's end. */
  part(bytes: Buffer): void;
  /** The line is complete; it may have been empty. */
  end(): void;
}

/** Splits chunks into lines that end with LF, CR or CRLF, wherever the chunks are cut. Copies and keeps nothing. */
export function createLineSplitter(sink: LineSink): (chunk: Buffer) => void {
  let afterCr = false;
  return (chunk) => {
    let at = 0;
    // The LF of a CRLF that the network cut in two.
    if (afterCr && chunk[0] === LF) at = 1;
    if (chunk.length > 0) afterCr = false;
    while (at < chunk.length) {
      const end = lineEnd(chunk, at);
      if (end > at) sink.part(chunk.subarray(at, end));
      if (end === chunk.length) return;
      sink.end();
      const isCr = chunk[end] === CR;
      at = end + (isCr && chunk[end + 1] === LF ? 2 : 1);
      afterCr = isCr && at === chunk.length && chunk[at - 1] === CR;
    }
  };
}

/** The place of the next line end, or the chunk's length. Both searches are native and stop early. */
function lineEnd(chunk: Buffer, from: number): number {
  const lf = chunk.indexOf(LF, from);
  const end = lf === -1 ? chunk.length : lf;
  const cr = chunk.subarray(from, end).indexOf(CR);
  return cr === -1 ? end : from + cr;
}
