export interface TiffField {
  readonly type: number;
  readonly count: number;
  /** Where its values begin, in bytes from the TIFF header. Not yet checked against the length. */
  readonly at: number;
}

/** An untrusted TIFF structure: a read past its end returns undefined. */
export interface Tiff {
  uint16(at: number): number | undefined;
  uint32(at: number): number | undefined;
  /** A field of the first directory. */
  field(tag: number): TiffField | undefined;
}

/** TIFF 6.0, section 2: the length in bytes of one value of each type. */
const TYPE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
const ENTRY_BYTES = 12;

/** Opens the TIFF structure inside EXIF (Exif 2.32, 4.5) and MPF (CIPA DC-007, 5.2); undefined if it is not valid. */
export function openTiff(bytes: Buffer): Tiff | undefined {
  const order = bytes.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return undefined;
  const little = order === 'II';
  const uint16 = (at: number) => {
    if (at + 2 > bytes.length) return undefined;
    return little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  };
  const uint32 = (at: number) => {
    if (at + 4 > bytes.length) return undefined;
    return little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  };
  if (uint16(2) !== 42) return undefined;
  return { uint16, uint32, field: (tag) => findField({ uint16, uint32 }, tag) };
}

function findField(tiff: Pick<Tiff, 'uint16' | 'uint32'>, tag: number): TiffField | undefined {
  const directory = tiff.uint32(4);
  const entries = directory === undefined ? undefined : tiff.uint16(directory);
  if (directory === undefined || entries === undefined) return undefined;
  for (let index = 0; index < entries; index += 1) {
    const entry = directory + 2 + index * ENTRY_BYTES;
    const found = tiff.uint16(entry);
    if (found === undefined) return undefined;
    if (found === tag) return readField(tiff, entry);
  }
  return undefined;
}

function readField(tiff: Pick<Tiff, 'uint16' | 'uint32'>, entry: number): TiffField | undefined {
  const type = tiff.uint16(entry + 2);
  const count = tiff.uint32(entry + 4);
  const value = tiff.uint32(entry + 8);
  if (type === undefined || count === undefined || value === undefined) return undefined;
  // Up to four bytes are in the entry itself; longer values are at the offset in the entry.
  const at = (TYPE_BYTES[type] ?? 0) * count <= 4 ? entry + 8 : value;
  return { type, count, at };
}
