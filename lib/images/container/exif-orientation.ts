import { openTiff } from './tiff.ts';

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const PREFIX = Buffer.from('Exif\0\0', 'latin1');

/** True for the payload of a JPEG APP1 segment that holds EXIF rather than XMP. */
export function isExif(payload: Buffer): boolean {
  return payload.subarray(0, PREFIX.length).equals(PREFIX);
}

/**
 * The orientation, 1 to 8, of an EXIF block with or without its JPEG prefix (some WebP writers keep it). 1 if there is none
 * or it is invalid: a damaged block does not make the image invalid.
 */
export function exifOrientation(exif: Buffer): number {
  const tiff = openTiff(isExif(exif) ? exif.subarray(PREFIX.length) : exif);
  const field = tiff?.field(ORIENTATION_TAG);
  if (tiff === undefined || field === undefined || field.type !== SHORT) return 1;
  const value = tiff.uint16(field.at) ?? 1;
  return value >= 1 && value <= 8 ? value : 1;
}
