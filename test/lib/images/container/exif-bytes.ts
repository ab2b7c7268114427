/** Returns a TIFF structure with one directory that contains only the orientation. */
export function orientationTiff(orientation: number, order: 'II' | 'MM' = 'II'): Buffer {
  const tiff = Buffer.alloc(8 + 2 + 12 + 4);
  const write16 = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const write32 = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  tiff.write(order, 0, 'latin1');
  write16(42, 2);
  write32(8, 4);
  write16(1, 8);
  write16(0x0112, 10);
  write16(3, 12);
  write32(1, 14);
  write16(orientation, 18);
  return tiff;
}

/** Returns this structure as the payload of a JPEG APP1 segment. */
export function orientationExif(orientation: number, order?: 'II' | 'MM'): Buffer {
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), orientationTiff(orientation, order)]);
}

/** A TIFF structure of 4000 bytes whose directory states the greatest number of entries and has no orientation. */
export function endlessTiff(): Buffer {
  const tiff = Buffer.alloc(4000);
  tiff.write('MM', 'latin1');
  tiff.writeUInt16BE(42, 2);
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(0xffff, 8);
  return tiff;
}
