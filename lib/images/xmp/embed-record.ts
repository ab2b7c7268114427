import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { Steps, TimeSlices } from '../../platform/time-slices.ts';
import type { VerifiedImage } from '../image.ts';
import { findJpegXmp, jpegXmpEdits } from '../jpeg/jpeg-xmp.ts';
import { findPngXmp, pngXmpEdits } from '../png/png-xmp.ts';
import { findWebpXmp, webpXmpEdits } from '../webp/webp-xmp.ts';
import { type Edit, splice } from './splice.ts';
import { firstPacket, type XmpLocations } from './xmp-locations.ts';
import { toXmpPacket, type XmpPacket } from './xmp-packet.ts';

/** What one container needs to take a packet. */
interface Places {
  readonly existing: Buffer | undefined;
  edits(packet: XmpPacket): readonly Edit[];
}

const PLACES: Readonly<Record<OutputFormat, (bytes: Buffer) => Steps<Places | undefined>>> = {
  png: (bytes) =>
    placesOf(findPngXmp(bytes), (found, { bytes: packet }) => pngXmpEdits(found, packet)),
  jpeg: (bytes) =>
    placesOf(findJpegXmp(bytes), (found, { bytes: packet, isMerged }) =>
      jpegXmpEdits(found, packet, isMerged),
    ),
  webp: (bytes) =>
    placesOf(findWebpXmp(bytes), (found, { bytes: packet }) => webpXmpEdits(found, packet)),
};

/**
 * The same image with `record`, as `toXmpJson` writes it and at most `MAX_RECORD_BYTES` long, in its one XMP packet.
 * Everything else of the container stays byte for byte, the pixels first of all. Undefined for an image with more XMP
 * than anybody writes. Rejects with the signal's reason.
 */
export async function embedRecord(
  { bytes, format }: Pick<VerifiedImage, 'bytes' | 'format'>,
  record: string,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const places = await slices.run(PLACES[format](bytes), signal);
  if (places === undefined) return undefined;
  const packet = await toXmpPacket(record, places.existing);
  return splice(bytes, places.edits(packet));
}

function* placesOf<T extends XmpLocations>(
  steps: Steps<T | undefined>,
  edits: (found: T, packet: XmpPacket) => readonly Edit[],
): Steps<Places | undefined> {
  const found = yield* steps;
  if (found === undefined) return undefined;
  return { existing: firstPacket(found), edits: (packet) => edits(found, packet) };
}
