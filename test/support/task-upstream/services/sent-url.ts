import { toSentImage } from '../../images-upstream/request/sent-image.ts';
import { Refusal } from '../../upstream/refusal.ts';

const DATA_URL = /^data:image\/(?:png|jpeg|webp);base64,/;

/** Throws `Refusal` unless a text is the data URL of an image. */
export async function checkImage(text: string, param: string): Promise<void> {
  const base64 = text.replace(DATA_URL, '');
  const image = base64 === text ? undefined : await toSentImage(Buffer.from(base64, 'base64'));
  if (image) return;
  throw new Refusal({ status: 422, code: 'image_load_error', message: 'no image', param });
}
