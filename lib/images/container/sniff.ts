import type { OutputFormat } from '../../contract/request/parameters.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

/** The format by the first bytes; undefined for all but PNG, JPEG and WebP. Names and headers do not matter. */
export function sniff(bytes: Buffer): OutputFormat | undefined {
  if (beginsWith(bytes, PNG)) return 'png';
  if (beginsWith(bytes, JPEG)) return 'jpeg';
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
    ? 'webp'
    : undefined;
}

function beginsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}
