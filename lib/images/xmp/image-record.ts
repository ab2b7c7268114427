import type { TimeSlices } from '../../platform/time-slices.ts';
import { type ContainerXmp, MAX_PACKET_BYTES, splice } from '../container/container-format.ts';
import { CONTAINERS, checkContainer } from '../container/containers.ts';
import type { ImageFault, ImageLimits, VerifiedImage } from '../image.ts';
import { recordIn, sourceTypeIn, toXmpPacket } from './xmp-packet.ts';

/** Embeds a record in a copy of the image, as `ImageTools.embedRecord` requires. The record has at most `MAX_RECORD_BYTES`. */
export async function embedRecord(
  { bytes, format }: Pick<VerifiedImage, 'bytes' | 'format'>,
  record: string,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const xmp = await slices.run(CONTAINERS[format].findXmp(bytes), signal);
  if (xmp === undefined) return undefined;
  return splice(bytes, xmp.replaceWith(await toXmpPacket(record, packetOf(xmp))));
}

/** Returns the first readable packet. */
function packetOf({ existing }: ContainerXmp): Buffer | undefined {
  return existing.find(({ packet }) => packet !== undefined)?.packet;
}

/** The namespace of `dcterms:provenance`, with which an XMP packet names credentials on a server (C2PA specification, 11.4). */
const TERMS = 'http://purl.org/dc/terms/';
const LINK = /:provenance[\s=>]/;

/** Returns true if the XMP of a valid image names credentials (C2PA) on a server. Rejects only with the reason of the signal. */
export async function hasCredentialLink(
  { bytes, format }: Pick<VerifiedImage, 'bytes' | 'format'>,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<boolean> {
  const xmp = await slices.run(CONTAINERS[format].findXmp(bytes), signal);
  const packets = xmp?.existing.flatMap(({ packet }) => packet ?? []) ?? [];
  return packets.some((packet) => {
    const text = packet.subarray(0, MAX_PACKET_BYTES).toString('latin1');
    return text.includes(TERMS) && LINK.test(text);
  });
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
  const packet = await readPacket({ bytes, format: container.format }, slices, signal);
  const record = packet === undefined ? undefined : await recordIn(packet);
  return record === undefined ? { ok: false, fault: 'no_record' } : { ok: true, record };
}

/** Reads the IPTC source type of a valid image, a URL. Resolves with undefined if the image has none. */
export async function readSourceType(
  image: Pick<VerifiedImage, 'bytes' | 'format'>,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<string | undefined> {
  const packet = await readPacket(image, slices, signal);
  return packet === undefined ? undefined : sourceTypeIn(packet);
}

/** Reads the first XMP packet of a valid image. Resolves with undefined if there is none, or if the packet is too long. */
async function readPacket(
  { bytes, format }: Pick<VerifiedImage, 'bytes' | 'format'>,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<string | undefined> {
  const xmp = await slices.run(CONTAINERS[format].findXmp(bytes), signal);
  const packet = xmp && packetOf(xmp);
  return packet !== undefined && packet.length <= MAX_PACKET_BYTES
    ? packet.toString('utf8')
    : undefined;
}
