import type { EditFileRole } from '../contract/openai/form.ts';
import type { BridgeExt, ImageReference } from '../contract/openai/images.ts';
import type { DataUrlInput, FileInput, ImageInput } from '../contract/request/image-input.ts';
import type { FieldRow } from './wire-fields.ts';

type Image = ImageInput | FileInput;

/** The images of one request, and how its caller calls them. */
export interface RequestImages<I = Image> {
  readonly images: readonly I[];
  readonly mask: I | null;
  readonly references: readonly I[];
  readonly names: readonly FieldRow[];
}

/** The fields of a JSON body that hold images. */
interface ImageFields<I> {
  readonly images: readonly (ImageReference | I)[];
  readonly mask?: ImageReference | I | undefined;
  readonly bridge_ext?: ReferenceField<I> | undefined;
}

interface ReferenceField<I> {
  readonly reference_images?: readonly I[] | undefined;
}

/** A request that edits nothing may still have images to go by. */
export function imagesOf<I>(ext: ReferenceField<I> | undefined): RequestImages<I> {
  const references = ext?.reference_images ?? [];
  return { images: [], mask: null, references, names: [ofExt] };
}

/** The images of an edit that came as JSON: data URLs under another name than ours. */
export function imagesOfJson<I extends object>({
  images,
  mask,
  bridge_ext: ext,
}: ImageFields<I>): RequestImages<I | DataUrlInput> {
  return {
    ...imagesOf<I | DataUrlInput>(ext),
    images: images.map(toNative),
    mask: mask ? toNative(mask) : null,
    names: [
      ofExt,
      ...['mask', ...images.map((_, index) => `images[${index}]`)].map((image) => ({
        theirs: `${image}.image_url`,
        ours: `${image}.data_url`,
      })),
    ],
  };
}

/** The images of an edit that came as a form, by their order in it; those of `bridge_ext` come after the files. */
export function imagesOfForm(
  files: Readonly<Record<EditFileRole, readonly Buffer[]>>,
  ext: BridgeExt | undefined,
): RequestImages {
  const [mask] = files.mask;
  const more = ext?.reference_images ?? [];
  const references = [
    ...files.reference_image.map((_, index) => `reference_image[${index}]`),
    ...more.map((_, index) => `${ofExt.theirs}[${index}]`),
  ];
  return {
    images: files.image.map(toFile),
    mask: mask ? toFile(mask) : null,
    references: [...files.reference_image.map(toFile), ...more],
    names: [
      { theirs: 'image', ours: 'images' },
      files.reference_image.length > 0 ? { ...ofExt, theirs: 'reference_image' } : ofExt,
      ...references.map((theirs, index) => ({ theirs, ours: `${ofExt.ours}[${index}]` })),
    ],
  };
}

const ofExt = { theirs: 'bridge_ext.reference_images', ours: 'reference_images' };

function toNative<I extends object>(image: ImageReference | I): I | DataUrlInput {
  return isReference(image) ? { type: 'data_url', data_url: image.image_url } : image;
}

function isReference(image: object): image is ImageReference {
  return 'image_url' in image;
}

function toFile(bytes: Buffer): Image {
  return { type: 'file', bytes };
}
