import type { EditFileRole } from '../contract/openai/form.ts';
import type { BridgeExt, EditsBody } from '../contract/openai/images.ts';
import type { FileInput, ImageInput } from '../contract/request/image-input.ts';
import type { FieldRow } from './wire-fields.ts';

type Image = ImageInput | FileInput;

/** The images of one request, and how its caller calls them. */
export interface RequestImages {
  readonly images: readonly Image[];
  readonly mask: Image | null;
  readonly references: readonly Image[];
  readonly names: readonly FieldRow[];
}

/** A request that edits nothing may still have images to go by. */
export function imagesOf(ext: BridgeExt | undefined): RequestImages {
  const references = ext?.reference_images ?? [];
  return { images: [], mask: null, references, names: [ofExt] };
}

/** The images of an edit that came as JSON: data URLs under another name than ours. */
export function imagesOfJson({ fields }: EditsBody): RequestImages {
  const { images, mask } = fields;
  return {
    ...imagesOf(fields.bridge_ext),
    images: images.map(toDataUrl),
    mask: mask ? toDataUrl(mask) : null,
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

function toDataUrl({ image_url: data_url }: { readonly image_url: string }): Image {
  return { type: 'data_url', data_url };
}

function toFile(bytes: Buffer): Image {
  return { type: 'file', bytes };
}
