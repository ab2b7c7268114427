import type { VerifiedImage } from '../../../../lib/images/image.ts';
import { writeXmp } from '../../../../lib/images/xmp/image-xmp.ts';
import { slices } from '../../../support/slices.ts';

/** Embeds a record in a copy of an image that is not marked. Resolves with undefined if the image cannot hold the record. */
export async function embedRecord(
  image: Pick<VerifiedImage, 'bytes' | 'format'>,
  record: string,
  signal = new AbortController().signal,
): Promise<Buffer | undefined> {
  const written = await writeXmp(image, { record }, slices, signal);
  return typeof written === 'string' ? undefined : written.toBuffer();
}
