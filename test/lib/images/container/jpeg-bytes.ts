export const SOI = Buffer.from([0xff, 0xd8]);
export const EOI = Buffer.from([0xff, 0xd9]);

export function segment(marker: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([head, payload]);
}

/** A progressive frame of one component. The data of its scans is checked only by a decoder. */
export function frame(width = 8, height = 8): Buffer {
  const payload = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  payload.writeUInt16BE(height, 1);
  payload.writeUInt16BE(width, 3);
  return segment(0xc2, payload);
}

/** A scan of one component with a stuffed zero, a restart marker and a fill byte in its data. */
export function scan(): Buffer {
  const head = segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0]));
  return Buffer.concat([head, Buffer.from([0x12, 0xff, 0x00, 0xff, 0xd0, 0x34, 0xff])]);
}

export function jpeg(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([SOI, ...parts, EOI]);
}

export function insertAfterSoi(bytes: Buffer, ...segments: readonly Buffer[]): Buffer {
  return Buffer.concat([bytes.subarray(0, 2), ...segments, bytes.subarray(2)]);
}

export interface Announced {
  /** Position from the start of the file. */
  readonly start: number;
  readonly size: number;
}

const ENTRIES_AT = 8 + 2 + 12 + 4;
/** The bytes of marker, length and `MPF\0`. */
const TIFF_AT = 2 + 2 + 4;

/** Returns the length of an MPF segment that lists this many further images. */
export function mpfBytes(further: number): number {
  return TIFF_AT + ENTRIES_AT + 16 * (further + 1);
}

/** Returns an MPF segment for the position `at` that lists `further` images besides its own. */
export function mpfSegment(
  at: number,
  further: readonly Announced[],
  order: 'II' | 'MM' = 'MM',
): Buffer {
  const count = further.length + 1;
  const tiff = Buffer.alloc(ENTRIES_AT + 16 * count);
  const write16 = (value: number, offset: number) =>
    order === 'II' ? tiff.writeUInt16LE(value, offset) : tiff.writeUInt16BE(value, offset);
  const write32 = (value: number, offset: number) =>
    order === 'II' ? tiff.writeUInt32LE(value, offset) : tiff.writeUInt32BE(value, offset);
  tiff.write(order, 0, 'latin1');
  write16(42, 2);
  write32(8, 4);
  write16(1, 8);
  write16(0xb002, 10);
  write16(7, 12);
  write32(16 * count, 14);
  write32(ENTRIES_AT, 18);
  further.forEach(({ start, size }, index) => {
    write32(size, ENTRIES_AT + 16 * (index + 1) + 4);
    write32(start - (at + TIFF_AT), ENTRIES_AT + 16 * (index + 1) + 8);
  });
  return segment(0xe2, Buffer.concat([Buffer.from('MPF\0', 'latin1'), tiff]));
}

/** Returns `main` with an MPF index after its SOI, followed by the listed images. */
export function multiImage(main: Buffer, further: readonly Buffer[], order?: 'II' | 'MM'): Buffer {
  let start = main.length + mpfBytes(further.length);
  const announced = further.map(({ length: size }) => {
    const row = { start, size };
    start += size;
    return row;
  });
  return Buffer.concat([insertAfterSoi(main, mpfSegment(2, announced, order)), ...further]);
}
