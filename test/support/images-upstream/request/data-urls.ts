import { Refusal } from '../../upstream/refusal.ts';
import type { SentImage } from './image-call.ts';
import { toSentImage } from './sent-image.ts';

const DATA_URL = /^data:(image\/(?:png|jpeg|webp));base64,([A-Za-z0-9+/]+={0,2})$/;

/** Decodes the images in data URLs. Throws `Refusal` if a URL has another form or lies about its media type. */
export async function readDataUrls(
  urls: readonly string[],
  param: string,
): Promise<readonly SentImage[]> {
  const images: SentImage[] = [];
  for (const url of urls) {
    const [, mediaType, base64 = ''] = DATA_URL.exec(url) ?? [];
    const image = await toSentImage(Buffer.from(base64, 'base64'));
    if (!image || `image/${image.format}` !== mediaType) {
      const message = 'an image cannot be read';
      throw new Refusal({ status: 400, code: 'invalid_image', message, param });
    }
    images.push(image);
  }
  return images;
}
