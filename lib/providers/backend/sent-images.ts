import type { VerifiedImage } from '../../images/image.ts';
import { unsupported } from '../failed-calls.ts';
import type { CallOutline, ProviderInput, ProviderRequest } from '../provider-port.ts';

/** The images of a call. `Image` may be any representation of an image. */
interface CallImages<Image> {
  readonly images: readonly Image[];
  readonly maskImage?: Image;
  readonly references: readonly Image[];
}

/** Returns the images of a call in the order in which they are sent: sources, mask image, references. */
export function sentImages<Image>({
  images,
  maskImage,
  references,
}: CallImages<Image>): readonly Image[] {
  return [...images, ...(maskImage ? [maskImage] : []), ...references];
}

/** Returns the request field of each image of a call, such as `images[0]`, in the order of `sentImages`. */
export function sentFields({
  images,
  maskImage,
  references,
}: CallImages<unknown>): readonly string[] {
  return sentImages({
    images: images.map((_, index) => `images[${index}]`),
    ...(maskImage ? { maskImage: 'mask' } : {}),
    references: references.map((_, index) => `reference_images[${index}]`),
  });
}

/**
 * Returns the prompt, followed by notes for the model. The notes explain each image in the order of `sentImages` and
 * describe the background colour that is removed afterwards.
 */
export function toPromptText(request: ProviderRequest): string {
  const { prompt, images, maskImage, references, keyColor } = request;
  const sources = images.length;
  const edited = sources + (maskImage ? 1 : 0);
  const notes = [
    ...(sources > 0 ? [`${numbered(1, sources)} to be edited.`] : []),
    ...(maskImage
      ? [`Image ${edited} is a mask: image 1 may change only where image ${edited} is white.`]
      : []),
    ...(references.length > 0
      ? [`${numbered(edited + 1, edited + references.length)} for reference only.`]
      : []),
    ...(keyColor === undefined
      ? []
      : [
          `Everything around the subject is one flat colour, exactly ${keyColor}, without shadows, gradients, texture or reflections; nothing of the subject has that colour.`,
        ]),
  ];
  return notes.length > 0 ? `${prompt}\n\n${notes.join(' ')}` : prompt;
}

/** Returns the prompt of an edit as `toPromptText` does, but without notes on sources if a call has no other images. */
export function toEditPrompt(request: ProviderRequest): string {
  const isMixed = request.references.length > 0 || request.maskImage !== undefined;
  return toPromptText(isMixed ? request : { ...request, images: [] });
}

function numbered(first: number, last: number): string {
  return first === last ? `Image ${first} is` : `Images ${first} to ${last} are`;
}

/** File name extensions by media type. */
export const EXTENSIONS = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
} as const;

const FORMATS = { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/webp': 'webp' } as const;

/**
 * Converts an input to an image for the engine. `alpha` is always `some`, because decoding and conversion ignore
 * `alpha`.
 */
export function toVerified({ mediaType, ...image }: ProviderInput): VerifiedImage {
  return { ...image, format: FORMATS[mediaType], alpha: 'some' };
}

/** Limits on the sources and on the references, as in a capability document. */
export const INPUT_LIMITS = {
  support: 'native',
  max_count: 5,
  max_bytes_each: 33_554_432,
  max_bytes_total: 67_108_864,
} as const;

/** Limits on a kind of image that a model does not support. */
export const NO_IMAGES = {
  support: 'unsupported',
  max_count: 0,
  max_bytes_each: 0,
  max_bytes_total: 0,
} as const;

interface Limits {
  readonly max_count: number;
  readonly max_bytes_total: number;
}

/**
 * Throws `unsupported_capability` if all images of the call together exceed the limits. A capability document can only
 * limit sources and references separately, but backends count all images together.
 */
export function refuseTooManyInputs(
  call: CallOutline,
  { max_count, max_bytes_total }: Limits = INPUT_LIMITS,
): void {
  const inputs = sentImages(call);
  const bytes = inputs.reduce((sum, input) => sum + input.bytes.length, 0);
  if (inputs.length <= max_count && bytes <= max_bytes_total) return;
  const message = 'the input images exceed the limits of the backend';
  throw unsupported('images', message, { max_count, max_bytes_total });
}
