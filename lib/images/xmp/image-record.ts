import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { Steps, TimeSlices } from '../../platform/time-slices.ts';
import { checkContainer } from '../container/check-container.ts';
import type { ImageFault, ImageLimits, VerifiedImage } from '../image.ts';
import { findJpegXmp, jpegXmpEdits } from '../jpeg/jpeg-xmp.ts';
import { findPngXmp, pngXmpEdits } from '../png/png-xmp.ts';
import { findWebpXmp, webpXmpEdits } from '../webp/webp-xmp.ts';
import {
  type Edit,
  firstPacket,
  MAX_PACKET_BYTES,
  splice,
  type XmpLocations,
} from './xmp-locations.ts';
import { recordIn, toXmpPacket, type XmpPacket } from './xmp-packet.ts';

/** The existing packet of a container, and the edits that replace it. */
interface PacketEditor {
  readonly existing: Buffer | undefined;
  /** Returns the edits that make `packet` the packet of the container. */
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
 * Resolves with the image and `record` in its only XMP packet. The record is a text from `toXmpJson` of at most
 * `MAX_RECORD_BYTES`. All other bytes of the container, including the pixels, stay the same. Resolves with undefined if the image
 * has more XMP packets than can be edited. Rejects with the reason of the signal.
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

export type RecordReading =
  | { readonly ok: true; readonly record: string }
  | { readonly ok: false; readonly fault: ImageFault | 'no_record' };

const FINDERS: Readonly<Record<OutputFormat, (bytes: Buffer) => Steps<XmpLocations | undefined>>> =
  {
    png: findPngXmp,
    jpeg: findJpegXmp,
    webp: findWebpXmp,
  };

/**
 * Reads the record inside an untrusted encoded image. The container is checked to the last byte, the pixels are not decoded.
 * Rejects only with the reason of the signal.
 */
export async function readRecord(
  bytes: Buffer,
  limits: ImageLimits,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<RecordReading> {
  const container = await slices.run(checkContainer(bytes, limits), signal);
  if (!container.ok) return container;
  const locations = await slices.run(FINDERS[container.format](bytes), signal);
  const packet = locations && firstPacket(locations);
  if (packet === undefined || packet.length > MAX_PACKET_BYTES)
    return { ok: false, fault: 'no_record' };
  const record = await recordIn(packet.toString('utf8'));
  return record === undefined ? { ok: false, fault: 'no_record' } : { ok: true, record };
}
