import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { Steps, TimeSlices } from '../../platform/time-slices.ts';
import type { VerifiedImage } from '../image.ts';
import { findJpegXmp, jpegXmpEdits } from '../jpeg/jpeg-xmp.ts';
import { findPngXmp, pngXmpEdits } from '../png/png-xmp.ts';
import { findWebpXmp, webpXmpEdits } from '../webp/webp-xmp.ts';
import { type Edit, splice } from './splice.ts';
import { firstPacket, type XmpLocations } from './xmp-locations.ts';
import { toXmpPacket, type XmpPacket } from './xmp-packet.ts';

/** The packet that a container holds so far, and the edits that put a new one into it. */
interface PacketEditor {
  readonly existing: Buffer | undefined;
  edits(packet: XmpPacket): readonly Edit[];
}

const EDITORS: Readonly<Record<OutputFormat, (bytes: Buffer) => Steps<PacketEditor | undefined>>> =
  {
    png: (bytes) =>
      editorOf(findPngXmp(bytes), (found, { bytes: packet }) => pngXmpEdits(found, packet)),
    jpeg: (bytes) =>
      editorOf(findJpegXmp(bytes), (found, { bytes: packet, isMerged }) =>
        jpegXmpEdits(found, packet, isMerged),
      ),
    webp: (bytes) =>
      editorOf(findWebpXmp(bytes), (found, { bytes: packet }) => webpXmpEdits(found, packet)),
  };

/**
 * The same image with `record`, as `toXmpJson` writes it and at most `MAX_RECORD_BYTES` long, in its one XMP packet.
 * Everything else of the container, the pixels included, stays byte for byte. Undefined for an image with more XMP packets
 * than can be edited. Rejects with the signal's reason.
 */
export async function embedRecord(
  { bytes, format }: Pick<VerifiedImage, 'bytes' | 'format'>,
  record: string,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const editor = await slices.run(EDITORS[format](bytes), signal);
  if (editor === undefined) return undefined;
  const packet = await toXmpPacket(record, editor.existing);
  return splice(bytes, editor.edits(packet));
}

function* editorOf<T extends XmpLocations>(
  steps: Steps<T | undefined>,
  edits: (found: T, packet: XmpPacket) => readonly Edit[],
): Steps<PacketEditor | undefined> {
  const found = yield* steps;
  if (found === undefined) return undefined;
  return { existing: firstPacket(found), edits: (packet) => edits(found, packet) };
}
