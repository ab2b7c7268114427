import { segment } from './jpeg-bytes.ts';

/** The type of a box with C2PA manifests (C2PA specification, 11.1.4.2). */
const MANIFEST_TYPE = '6332706100110010800000aa00389b71';

/** Returns the start of a box with C2PA manifests, or of a box of another type. The content is missing. */
export function manifestBox(type = MANIFEST_TYPE, bytesAfter = 0): Buffer {
  return Buffer.concat([
    Buffer.from('\0\0\0\x21jumb\0\0\0\x19jumd', 'latin1'),
    Buffer.from(type, 'hex'),
    Buffer.alloc(1 + bytesAfter),
  ]);
}

/** Returns an APP11 segment with a part of a box. */
export function boxSegment(part: Buffer, number = 1, sequence = 1, identifier = 'JP'): Buffer {
  const head = Buffer.alloc(8);
  head.write(identifier, 'latin1');
  head.writeUInt16BE(number, 2);
  head.writeUInt32BE(sequence, 4);
  return segment(0xeb, Buffer.concat([head, part]));
}
