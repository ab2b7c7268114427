import { beginsWith } from './container-format.ts';

interface TiffField {
  readonly type: number;
  readonly count: number;
  /** Position of the values, in bytes from the start of the TIFF header. The position may be past the end of the structure. */
  readonly at: number;
}

/** An untrusted TIFF structure. A read past its end returns undefined. */
interface Tiff {
  uint16(at: number): number | undefined;
  uint32(at: number): number | undefined;
  /** Returns a field of the first directory, or undefined if the directory does not contain the field. */
  field(tag: number): TiffField | undefined;
}

/** The length in bytes of one value. The index is the field type (TIFF 6.0, section 2). */
const TYPE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
const ENTRY_BYTES = 12;

/** Opens the TIFF structure inside EXIF (Exif 2.32, 4.5) or MPF (CIPA DC-007, 5.2). Returns undefined if it is invalid. */
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
  // Values of up to four bytes are in the entry itself. Longer values are at the offset in the entry.
  const at = (TYPE_BYTES[type] ?? 0) * count <= 4 ? entry + 8 : value;
  return { type, count, at };
}

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const PREFIX = Buffer.from('Exif\0\0', 'latin1');

/** Returns true if the payload of a JPEG APP1 segment is EXIF. */
export function isExif(payload: Buffer): boolean {
  return beginsWith(payload, PREFIX);
}

/**
 * Returns the orientation, 1 to 8, of an EXIF block. The block may have its JPEG prefix, because some WebP writers keep it.
 * Returns 1 if the orientation is missing or invalid, because a damaged block does not make the image invalid.
 */
export function exifOrientation(exif: Buffer): number {
  const tiff = openTiff(isExif(exif) ? exif.subarray(PREFIX.length) : exif);
  const field = tiff?.field(ORIENTATION_TAG);
  if (tiff === undefined || field === undefined || field.type !== SHORT) return 1;
  const value = tiff.uint16(field.at) ?? 1;
  return value >= 1 && value <= 8 ? value : 1;
}
