import { Refusal } from '../../upstream/refusal.ts';
import type { FilePart } from './fields.ts';
import type { ImageCall, SentImage } from './image-call.ts';
import { toSentImage } from './sent-image.ts';

const MAX_IMAGES = 16;
const MAX_IMAGE_BYTES = 50_000_000;
/** The reference says 4 MB, the guide 50 MB. The smaller limit applies here. */
const MAX_MASK_BYTES = 4_000_000;
const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** Reads the images of an edit, in their order, and its mask. Throws `Refusal` if one of them is invalid. */
export async function readEditFiles(
  files: readonly FilePart[],
): Promise<Pick<ImageCall, 'images' | 'mask'>> {
  const unknown = files.find(({ name }) => !['image', 'image[]', 'mask'].includes(name));
  if (unknown) throw refused('unknown_parameter', unknown.name);
  const single = files.filter(({ name }) => name === 'image');
  const list = files.filter(({ name }) => name === 'image[]');
  const masks = files.filter(({ name }) => name === 'mask');
  if (single.length > 1) throw refused('duplicate_parameter', 'image');
  if (masks.length > 1) throw refused('duplicate_parameter', 'mask');
  const parts = [...single, ...list];
  if (parts.length === 0) throw refused('missing_required_parameter', 'image');
  if (parts.length > MAX_IMAGES) throw refused('invalid_value', 'image');
  const images: SentImage[] = [];
  for (const part of parts) images.push(await toImage(part, 'image', MAX_IMAGE_BYTES));
  const [mask] = masks;
  return mask ? { images, mask: await toMask(mask, images[0]) } : { images };
}

async function toMask(part: FilePart, image: SentImage | undefined): Promise<SentImage> {
  const mask = await toImage(part, 'mask', MAX_MASK_BYTES);
  const isOfImage = mask.width === image?.width && mask.height === image.height;
  if (mask.format !== 'png' || !mask.hasAlpha || !isOfImage) {
    throw refused('invalid_image_file', 'mask');
  }
  return mask;
}

async function toImage(part: FilePart, param: string, maxBytes: number): Promise<SentImage> {
  if (part.filename === '') throw refused('invalid_image_file', param);
  if (!MEDIA_TYPES.includes(part.type)) throw refused('unsupported_file_mimetype', param);
  if (part.bytes.length >= maxBytes) throw refused('invalid_image_file', param);
  const image = await toSentImage(part.bytes);
  if (!image || `image/${image.format}` !== part.type) throw refused('invalid_image_file', param);
  return image;
}

function refused(code: string, param: string): Refusal {
  return new Refusal({ status: 400, code, message: 'a file of the form is wrong', param });
}
