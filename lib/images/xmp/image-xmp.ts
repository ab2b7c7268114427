import type { ByteParts } from '../../platform/byte-parts.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import {
  type ContainerXmp,
  type ExistingXmp,
  MAX_PACKET_BYTES,
  splice,
} from '../container/container-format.ts';
import { CONTAINERS, checkContainer } from '../container/containers.ts';
import type { EncodedImage, ImageFault, ImageLimits, XmpFault } from '../image.ts';
import { findSourceType } from './source-type.ts';
import type { XmpContent, XmpPacket } from './xmp-content.ts';
import { mergedPacket, newPacket } from './xmp-packet.ts';
import { RECORD_PROPERTY, valueIn } from './xmp-properties.ts';

/**
 * Writes properties into the XMP of an image, as `ImageTools.writeXmp` requires. A record has at most `MAX_RECORD_BYTES`. The
 * pixels are not decoded: the bytes outside the edits are those of the original, and the packet is found again.
 */
export async function writeXmp(
  { bytes, format }: EncodedImage,
  content: XmpContent,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<ByteParts | XmpFault> {
  const { findXmp } = CONTAINERS[format];
  const xmp = await slices.run(findXmp(bytes), signal);
  if (xmp === undefined) return 'too_much_xmp';
  const packet = await packetWith(content, xmp);
  if (packet === undefined) return 'not_mergeable';
  const edited = splice(bytes, xmp.replaceWith(packet));
  const written = packetOf(await slices.run(findXmp(edited), signal));
  return written?.equals(packet.bytes) ? edited : 'altered';
}

/**
 * Resolves with the packet that adds the content to the XMP of an image. The source type of the image stays. Resolves with
 * undefined if a packet without a record would have to replace a packet or its source type.
 */
async function packetWith(content: XmpContent, xmp: ContainerXmp): Promise<XmpPacket | undefined> {
  const { record } = content;
  const first = packetOf(xmp);
  const present = sourceTypeOf(xmp);
  if (record === undefined) {
    if (present !== undefined) return undefined;
    if (xmp.existing.length === 0) return newPacket(content);
    const isOnly = xmp.existing.every(({ packet, extension }) => packet === first || extension);
    return first && isOnly ? mergedPacket(content, first) : undefined;
  }
  const inFirst = first && findSourceType(first);
  const sourceType = present ?? content.sourceType;
  const missing = { record, sourceType: inFirst === undefined ? sourceType : undefined };
  return (first && (await mergedPacket(missing, first))) ?? newPacket({ record, sourceType });
}

/** Returns the first readable packet, or undefined if no packet is readable. */
function packetOf(xmp: ContainerXmp | undefined): Buffer | undefined {
  return xmp?.existing.find(({ packet }) => packet !== undefined)?.packet;
}

/** Returns the source type in the packets of an image and in their extension, or undefined if there is none. */
function sourceTypeOf({ existing }: ContainerXmp): string | undefined {
  for (const text of textsOf(existing)) {
    const found = findSourceType(text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the packets of an image, and the extension of its packet as one text. */
function textsOf(existing: readonly ExistingXmp[]): readonly Buffer[] {
  const packets = existing.flatMap(({ packet }) => packet ?? []);
  const parts = existing.flatMap(({ extension }) => extension ?? []);
  return parts.length > 0 ? [...packets, Buffer.concat(parts)] : packets;
}

/** The namespace of `dcterms:provenance`, with which an XMP packet names credentials on a server (C2PA specification, 11.4). */
const TERMS = 'http://purl.org/dc/terms/';
const LINK = /:provenance[\s=>]/;

/**
 * Resolves with true if the XMP of a valid image names credentials (C2PA) on a server. Rejects only with the reason of the signal.
 */
export async function hasCredentialLink(
  { bytes, format }: EncodedImage,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<boolean> {
  const xmp = await slices.run(CONTAINERS[format].findXmp(bytes), signal);
  return textsOf(xmp?.existing ?? []).some((packet) => {
    const text = packet.subarray(0, MAX_PACKET_BYTES).toString('latin1');
    return text.includes(TERMS) && LINK.test(text);
  });
}

/** Reads the source type of a valid image. Resolves with undefined if the image is not marked. */
export async function readSourceType(
  { bytes, format }: EncodedImage,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<string | undefined> {
  const xmp = await slices.run(CONTAINERS[format].findXmp(bytes), signal);
  return xmp && sourceTypeOf(xmp);
}

export type RecordReading =
  | { readonly ok: true; readonly record: string }
  | { readonly ok: false; readonly fault: ImageFault | 'no_record' };

/**
 * Reads the record inside an untrusted encoded image. The container is checked to the last byte, but the pixels are not
 * decoded. Rejects only with the reason of the signal.
 */
export async function readRecord(
  bytes: Buffer,
  limits: ImageLimits,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<RecordReading> {
  const container = await slices.run(checkContainer(bytes, limits), signal);
  if (!container.ok) return container;
  const packet = packetOf(await slices.run(CONTAINERS[container.format].findXmp(bytes), signal));
  const isShort = packet !== undefined && packet.length <= MAX_PACKET_BYTES;
  const record = isShort ? await valueIn(packet.toString('utf8'), RECORD_PROPERTY) : undefined;
  return record === undefined ? { ok: false, fault: 'no_record' } : { ok: true, record };
}
