import sharp from 'sharp';
import type { SentImage } from './image-call.ts';

/** Decodes the image in these bytes completely. Resolves with undefined if they are not an image. */
export async function toSentImage(bytes: Buffer): Promise<SentImage | undefined> {
  try {
    const image = sharp(bytes, { failOn: 'truncated' });
    const { format, width, height, channels, hasAlpha } = await image.metadata();
    await image.raw().toBuffer();
    return { bytes, format, width, height, channels, hasAlpha };
  } catch {
    return undefined;
  }
}
