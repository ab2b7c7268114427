export function riffChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 0, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

export function webp(...chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]);
  const head = Buffer.alloc(8);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

export function canvas(width: number, height: number, flags = 0): Buffer {
  const data = Buffer.alloc(10);
  data.writeUInt8(flags, 0);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return riffChunk('VP8X', data);
}

/** The header of a lossy key frame without image data. */
export function lossy(width: number, height: number): Buffer {
  const data = Buffer.alloc(10);
  data.set([0x10, 0, 0, 0x9d, 0x01, 0x2a]);
  data.writeUInt16LE(width, 6);
  data.writeUInt16LE(height, 8);
  return riffChunk('VP8 ', data);
}

/** The header of a lossless frame without image data. */
export function lossless(width: number, height: number, hasAlpha = false): Buffer {
  const data = Buffer.alloc(5);
  data[0] = 0x2f;
  const alphaBit = hasAlpha ? 2 ** 28 : 0;
  data.writeUInt32LE(width - 1 + (height - 1) * 2 ** 14 + alphaBit, 1);
  return riffChunk('VP8L', data);
}

/** All chunks of a file, padding included. */
export function chunksOf(
  bytes: Buffer,
): readonly { readonly type: string; readonly bytes: Buffer }[] {
  const chunks = [];
  for (let at = 12; at < bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    chunks.push({ type: bytes.toString('latin1', at, at + 4), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return chunks;
}
