/** Reads a stream to its end; undefined, and the rest is left, if it is longer than `maxBytes`. */
export async function readInput(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    length += piece.length;
    if (length > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
