import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { Steps, TimeSlices } from '../../platform/time-slices.ts';
import { checkContainer } from '../container/check-container.ts';
import type { ImageFault, ImageLimits } from '../image.ts';
import { findJpegXmp } from '../jpeg/jpeg-xmp.ts';
import { findPngXmp } from '../png/png-xmp.ts';
import { findWebpXmp } from '../webp/webp-xmp.ts';
import { firstPacket, MAX_PACKET_BYTES, type XmpLocations } from './xmp-locations.ts';
import { recordIn } from './xmp-record.ts';

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
 * The text of the record inside an untrusted encoded image. Its container is checked to the last byte, its pixels are not
 * decoded. Rejects only with the signal's reason.
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
